import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { MutationClass, ToolContract } from '../../contract/tool/tool.ts';

const ENTRY_TOKENS = 8;
const MARKS: Readonly<Record<MutationClass, string>> = {
  read_only: 'r',
  write_reversible: 'w',
  write_irreversible: 'd',
};
export const INDEX_LEGEND = 'Tools by namespace (call as namespace:name; r reads, w writes, d destroys):';

/** Tier 0: every tool as its name, its class and a few words, gathered by namespace: five to ten tokens a tool. */
export function toolIndex(tools: readonly ToolContract[], countTokens: CountTokens): string {
  const byNamespace = Map.groupBy(tools, ({ namespace }) => namespace);
  const lines = [...byNamespace].flatMap(([namespace, members]) => [
    `${namespace}:`,
    ...members.map((tool) => entryOf(tool, countTokens)),
  ]);
  return [INDEX_LEGEND, ...lines].join('\n');
}

const entries = new WeakMap<ToolContract, string>();

function entryOf(tool: ToolContract, countTokens: CountTokens): string {
  const known = entries.get(tool);
  if (known !== undefined) return known;
  let entry = ` ${tool.name} ${MARKS[tool.mutation]}`;
  for (const word of firstSentence(tool.description).split(' ')) {
    const longer: string = `${entry} ${word}`;
    if (countTokens(longer) > ENTRY_TOKENS) break;
    entry = longer;
  }
  entries.set(tool, entry);
  return entry;
}

function firstSentence(text: string): string {
  return (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text)
    .replace(/\s+/g, ' ')
    .replace(/[.!?]$/, '')
    .trim();
}
