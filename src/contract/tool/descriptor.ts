import type { JsonObject } from '../../base/json/json.ts';
import type { TimeoutClass } from './timeout-class.ts';
import type {
  Authorization,
  CostHints,
  DeclaredError,
  Idempotency,
  MutationClass,
  OperationType,
  SideEffect,
  ToolExample,
  ToolHints,
} from './tool.ts';
import type { Verification } from './verification.ts';

/** An upstream's description of a tool in neutral form, still untrusted. Admission turns it into a contract or refuses it. */
export interface ToolDescriptor {
  readonly name: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly version?: unknown;
  readonly tags?: unknown;
  readonly hints: ToolHints;
  readonly declared?: DeclaredTerms;
  /** Why the gateway can never call this tool; absent where it can. */
  readonly unsupported?: string;
}

/** Terms that a native tool declares or that an operator overrides. They win over every profile, which fills the rest. */
export interface DeclaredTerms {
  readonly operation?: OperationType;
  readonly mutation?: MutationClass;
  readonly idempotent?: boolean;
  readonly idempotencyKeyArgument?: string;
  readonly sideEffects?: readonly SideEffect[];
  readonly verification?: Verification;
  readonly timeoutClass?: TimeoutClass;
  readonly authorization?: Partial<Authorization>;
  readonly idempotency?: Partial<Idempotency>;
  readonly errors?: readonly DeclaredError[];
  readonly cost?: CostHints;
  readonly labels?: JsonObject;
  readonly examples?: readonly ToolExample[];
}
