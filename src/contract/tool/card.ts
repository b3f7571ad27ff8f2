/** A tool or a tree node as a browse lists it. It may have no other field: no schema, example, URL or metadata. */
export interface ChoiceCard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Tree nodes and the cache breakpoint are `internal`. The text form has `(namespace)` or `(group)` for a node. */
  readonly kind: 'tool' | 'agent' | 'skill' | 'internal' | 'resource' | 'prompt';
  readonly namespace: string;
  /** For the text form only: their names, where they fit. A model calls a tool without reading its schema first. */
  readonly requiredArguments?: readonly string[];
  readonly hasSchema: boolean;
  readonly score?: number;
  readonly costHint: number;
  readonly hasSideEffects: boolean;
  readonly safety: '' | 'read_only' | 'destructive';
}
