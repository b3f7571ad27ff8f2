import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { MutationClass, ToolContract } from '../../contract/tool/tool.ts';

const MAX_ENTRY_TOKENS = 8;
const MUTATION_MARKS: Readonly<Record<MutationClass, string>> = {
  read_only: 'r',
  write_reversible: 'w',
  write_irreversible: 'd',
};
export const INDEX_LEGEND = 'Tools by namespace (call as namespace:name; r reads, w writes, d destroys):';

/** Every tool by namespace, with its name, mutation class and a few words: five to ten tokens a tool. */
export function toolIndex(tools: readonly ToolContract[], countTokens: CountTokens): string {
  const byNamespace = Map.groupBy(tools, ({ namespace }) => namespace);
  const lines = [...byNamespace].flatMap(([namespace, members]) => [
    `${namespace}:`,
    ...members.map((tool) => entryOf(tool, countTokens)),
  ]);
  return [INDEX_LEGEND, ...lines].join('\n');
}

const entryCache = new WeakMap<ToolContract, string>();

function entryOf(tool: ToolContract, countTokens: CountTokens): string {
  const cached = entryCache.get(tool);
  if (cached !== undefined) return cached;
  let entry = ` ${tool.name} ${MUTATION_MARKS[tool.mutation]}`;
  for (const word of firstSentence(tool.description).split(' ')) {
    const longer: string = `${entry} ${word}`;
    if (countTokens(longer) > MAX_ENTRY_TOKENS) break;
    entry = longer;
  }
  entryCache.set(tool, entry);
  return entry;
}

function firstSentence(text: string): string {
  return (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text)
    .replace(/\s+/g, ' ')
    .replace(/[.!?]$/, '')
    .trim();
}
