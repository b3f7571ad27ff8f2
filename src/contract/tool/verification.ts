import type { Json } from '../../base/json/json.ts';

/** A value to compare or to send: from the call's arguments or result by JSON Pointer, or a fixed value. */
export type Binding = { readonly from: 'args' | 'result'; readonly at: string } | { readonly value: Json };

/** A call of another tool for a read-back, a probe or a compensation, with values of the checked call. */
export interface ToolUse {
  /** An id or `/namespace/name`, as in a call. */
  readonly tool: string;
  readonly args: Readonly<Record<string, Binding>>;
}

/** A condition on the value at a JSON Pointer. */
export interface Expectation {
  readonly at: string;
  readonly equals?: Binding;
  readonly exists?: boolean;
}

export type IntegrityCheck =
  /** The SHA-256 of a text, in hex. */
  | { readonly kind: 'sha256'; readonly of: Binding; readonly equals: Binding }
  /** The number of items of a list. */
  | { readonly kind: 'count'; readonly of: Binding; readonly equals: Binding };

/** How to check that a call had the effect that it reports. Declared by an operator or a native tool. */
export interface Verification {
  readonly integrity?: readonly IntegrityCheck[];
  /** Called after a write: the target system must be in the state that the call reports. */
  readonly readBack?: ToolUse & { readonly expect: readonly Expectation[] };
  /** Called before and after a read-only tool, which must not change the result. */
  readonly probe?: ToolUse;
  /** Called when a check finds a mismatch. */
  readonly compensate?: ToolUse;
}
