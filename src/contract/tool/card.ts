/** What a browse shows of a tool. These fields and no others: no schema, example, address or free-form metadata. */
export interface ChoiceCard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly kind: 'tool' | 'agent' | 'skill' | 'internal' | 'resource' | 'prompt';
  readonly namespace: string;
  readonly has_schema: boolean;
  readonly score?: number;
  readonly cost_hint: number;
  readonly side_effects: boolean;
  readonly safety: '' | 'read_only' | 'destructive';
}
