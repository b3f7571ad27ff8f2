/** What the model does next: it calls a meta-tool, or it has finished. */
export type Turn =
  | { readonly tool: MetaTool; readonly args: Readonly<Record<string, unknown>> }
  | { readonly text: string };

export type MetaTool = (typeof META_TOOLS)[number];
export const META_TOOLS = ['tool_browse', 'tool_execute', 'tool_view'] as const;

/** What a client shows its model: the names of the tools, and the texts of the results so far. */
export interface ModelInput {
  readonly tools: readonly string[];
  readonly results: readonly string[];
}

/**
 * A model that knows only what it reads: it takes the tool from a card, the handle from a summary and the next selector
 * from a view. So it fails wherever a client does not show one of them.
 */
export function decideTurn({ results }: Pick<ModelInput, 'results'>, file: string): Turn {
  const [cards, summary, ...views] = results;
  if (cards === undefined) return { tool: 'tool_browse', args: { query: 'read a text file' } };
  if (summary === undefined) {
    const tool_id = /^(\w+:\S+?)(?:\([^)\n]*\))?: /m.exec(cards)?.[1];
    if (tool_id === undefined) return { text: 'The result of tool_browse shows no card.' };
    return { tool: 'tool_execute', args: { tool_id, args: { path: file } } };
  }
  const handle = /\bart_\w+/.exec(summary)?.[0];
  if (handle === undefined) return { text: 'The result of tool_execute shows no handle.' };
  const last = views.at(-1);
  if (last === undefined) return { tool: 'tool_view', args: { handle } };
  const next = /; next: (\{.*\})\)\s*$/.exec(last)?.[1];
  if (next === undefined) return { text: 'There is no next selector.' };
  return { tool: 'tool_view', args: { handle, selector: JSON.parse(next) } };
}
