import type { Json } from '../../base/json/json.ts';

/** A value to compare or to send: from the call's arguments or its result by JSON pointer, or as it stands here. */
export type Binding = { readonly from: 'args' | 'result'; readonly at: string } | { readonly value: Json };

/** Another tool, used to look or to undo, with what this call knows. */
export interface ToolUse {
  /** `namespace:name` or an id, as a caller would name it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, Binding>>;
}

/** What must hold of something, by JSON pointer. */
export interface Expectation {
  readonly at: string;
  readonly equals?: Binding;
  readonly exists?: boolean;
}

export type IntegrityCheck =
  /** The SHA-256 of a text, in hex. */
  | { readonly kind: 'sha256'; readonly of: Binding; readonly equals: Binding }
  /** How many items a list has. */
  | { readonly kind: 'count'; readonly of: Binding; readonly equals: Binding };

/** How an operator or a native tool wants it checked that a call did what it says. */
export interface Verification {
  readonly integrity?: readonly IntegrityCheck[];
  /** Looked at after a write: the world must be as the call says that it left it. */
  readonly readBack?: ToolUse & { readonly expect: readonly Expectation[] };
  /** Looked at before and after: a tool that only reads must leave it alone. */
  readonly probe?: ToolUse;
  /** Done when a check fails. */
  readonly compensate?: ToolUse;
}
