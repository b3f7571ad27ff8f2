import type { JsonObject } from '../../base/json/json.ts';
import type { TimeoutClass } from './timeout-class.ts';
import type { Verification } from './verification.ts';

export const MUTATION_CLASSES = ['read_only', 'write_reversible', 'write_irreversible'] as const;
export type MutationClass = (typeof MUTATION_CLASSES)[number];

/** A subscription answers with a stream; the other two with one result. */
export type OperationType = 'query' | 'mutation' | 'subscription';

export interface SideEffect {
  readonly resource: string;
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly scope: string;
}

export interface Authorization {
  /** All of these. */
  readonly requiredScopes: readonly string[];
  /** One of these. Absent means no rule; an empty list denies everyone. */
  readonly requiredScopesAny?: readonly string[];
  readonly resource?: { readonly type?: string; readonly action?: string };
  /** Whose credential the upstream sees. */
  readonly credential: 'none' | 'gateway' | 'delegated';
}

export interface Idempotency {
  readonly key: 'optional' | 'recommended' | 'required';
  readonly windowMs: number;
}

export interface DeclaredError {
  readonly code: string;
  readonly description: string;
  readonly httpStatus?: number;
  readonly retryable: boolean;
}

export interface CostHints {
  readonly perCall?: number;
  readonly tokens?: number;
}

export interface ToolExample {
  readonly query: string;
  readonly args?: JsonObject;
}

/** How the arguments of a call are read, before they are checked. */
export interface ArgumentRules {
  /** What becomes of top-level properties that the schema does not name. */
  readonly unknown: 'refuse' | 'pass';
  /** Whether strings are read as the type that the schema demands, by fixed rules. */
  readonly tolerant: boolean;
  /** Whether defaults of the schema stand in for what is absent. */
  readonly defaults: boolean;
}

export const STRICT_ARGUMENTS: ArgumentRules = { unknown: 'refuse', tolerant: false, defaults: true };

/** A term of the contract that nobody stated, and that the profile filled. */
export type ContractBlank = 'mutation' | 'timeoutClass' | 'authorization' | 'idempotency';

/**
 * What a tool promises and what it may do: everything that a phase needs to know of it. Immutable; a change at the
 * upstream makes another contract under another digest.
 */
export interface ToolContract {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  /** Semantic version, or what the upstream calls one; absent where it declares none, and the id carries a shape hash. */
  readonly version: string | undefined;
  /** The name under which the upstream knows the tool. Dispatch uses this one, never a repaired one. */
  readonly upstreamName: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly tags: readonly string[];
  readonly operation: OperationType;
  readonly visibility: 'external' | 'internal';
  readonly inputSchema: JsonObject;
  readonly argumentRules: ArgumentRules;
  readonly outputSchema: JsonObject | undefined;
  readonly errors: readonly DeclaredError[];
  readonly authorization: Authorization;
  readonly timeoutClass: TimeoutClass;
  readonly idempotency: Idempotency;
  readonly mutation: MutationClass;
  /** That the same call twice does no more than once: stated by an operator or a native tool, never taken from a hint. */
  readonly idempotent: boolean;
  /** The argument in which the tool itself takes an idempotency key: with one, the same call twice is one call to it. */
  readonly idempotencyKeyArgument: string | undefined;
  readonly sideEffects: readonly SideEffect[];
  readonly verification: Verification | undefined;
  readonly labels: JsonObject;
  readonly cost: CostHints;
  readonly examples: readonly ToolExample[];
  readonly hints: ToolHints;
  readonly filledByProfile: readonly ContractBlank[];
  /** Why a schema of this tool cannot be used; calling it answers SCHEMA_INVALID with this sentence. */
  readonly schemaDefect: string | undefined;
  /** Over everything above: two contracts with one digest are the same promise. */
  readonly digest: string;
}

/** That it only reads, by the word of an operator or of a native tool. An upstream's hint may lie: nothing happens twice for it. */
export function isTrustedReadOnly({ mutation, filledByProfile }: ToolContract): boolean {
  return mutation === 'read_only' && !filledByProfile.includes('mutation');
}

/** Unverified: an upstream may lie. They fill blanks and are shown; they never decide safety alone. */
export interface ToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}
