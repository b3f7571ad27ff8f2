import type { JsonObject } from '../../base/json/json.ts';
import type { TimeoutClass } from './timeout-class.ts';
import type { Verification } from './verification.ts';

export const MUTATION_CLASSES = ['read_only', 'write_reversible', 'write_irreversible'] as const;
export type MutationClass = (typeof MUTATION_CLASSES)[number];

/** A subscription returns a stream; a query and a mutation return one result. */
export type OperationType = 'query' | 'mutation' | 'subscription';

export interface SideEffect {
  readonly resource: string;
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly scope: string;
}

export interface Authorization {
  /** The caller needs all of these. */
  readonly requiredScopes: readonly string[];
  /** The caller needs one of these. Absent means no rule; an empty list denies every caller. */
  readonly requiredScopesAny?: readonly string[];
  readonly resource?: { readonly type?: string; readonly action?: string };
  /** Which credential is sent to the upstream. */
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

/** How the arguments of a call are converted before validation. */
export interface ArgumentRules {
  /** Whether top-level properties that the schema does not name are refused or passed on. */
  readonly unknown: 'refuse' | 'pass';
  /** Whether strings are converted to the type that the schema requires, by fixed rules. */
  readonly tolerant: boolean;
  /** Whether missing properties are filled with the defaults of the schema. */
  readonly defaults: boolean;
}

export const STRICT_ARGUMENTS: ArgumentRules = { unknown: 'refuse', tolerant: false, defaults: true };

/** A term of the contract that was not declared, so that the profile filled it. */
export type ContractBlank = 'mutation' | 'timeoutClass' | 'authorization' | 'idempotency';

/**
 * What a tool promises and what it may do: all that the phases of a call read of it. It is immutable; a change at the
 * upstream makes a new contract with a new digest.
 */
export interface ToolContract {
  readonly kind: 'tool';
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  /** The version that the upstream declares, usually semantic. Without one, the id contains a shape hash. */
  readonly version: string | undefined;
  /** The upstream's own name of the tool. Calls use this name, never a repaired one. */
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
  /** Calling twice has the same effect as calling once. Declared by an operator or a native tool, never taken from a hint. */
  readonly idempotent: boolean;
  /** The argument in which the tool takes an idempotency key; the tool then treats a repeated call as the same call. */
  readonly idempotencyKeyArgument: string | undefined;
  readonly sideEffects: readonly SideEffect[];
  readonly verification: Verification | undefined;
  readonly labels: JsonObject;
  readonly cost: CostHints;
  readonly examples: readonly ToolExample[];
  readonly hints: ToolHints;
  readonly filledByProfile: readonly ContractBlank[];
  /** Why a schema of this tool cannot be used; a call fails with SCHEMA_INVALID and this sentence. */
  readonly schemaDefect: string | undefined;
  /** Covers every field above: contracts with equal digests are equal. */
  readonly digest: string;
}

/**
 * Whether an operator or a native tool declared that it only reads. The hint of an upstream may be wrong, so it never
 * makes a call safe to repeat.
 */
export function isTrustedReadOnly({ mutation, filledByProfile }: ToolContract): boolean {
  return mutation === 'read_only' && !filledByProfile.includes('mutation');
}

/** Whether a second call does no harm: the tool is declared idempotent, or recognises a repeated call by its key. */
export function isRepeatable(
  { idempotent, idempotencyKeyArgument }: ToolContract,
  { hasKey }: { readonly hasKey: boolean },
): boolean {
  return idempotent || (idempotencyKeyArgument !== undefined && hasKey);
}

/** Unverified hints of an upstream, which may be wrong. They fill undeclared terms; safety never depends on them alone. */
export interface ToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}
