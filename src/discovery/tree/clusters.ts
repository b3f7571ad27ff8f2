import type { ToolContract } from '../../contract/tool/tool.ts';
import { plainWordsOf, searchWords, stem } from '../ranking/words.ts';

/** Tools that are about the same thing. */
export interface Cluster {
  /** As the tools themselves write it. */
  readonly label: string;
  /** Stems that need not be said again further down. */
  readonly words: readonly string[];
  readonly members: readonly ToolContract[];
}

/** What tools do. People look for what it is done to, so an action names a place only where nothing else does. */
const ACTIONS = new Set(
  `add analyze apply approve archive assign attach batch browse build bulk calculate call cancel check clear clone close
  compare complete configure confirm connect convert copy count create deactivate delete deploy describe destroy detect
  disable disconnect download edit enable enrich evaluate execute explain export extract fetch fill filter find fork
  generate get import insert inspect invite invoke is join kill launch leave list load lock login logout lookup make
  mark merge modify move navigate notify open parse patch pause ping play poll post preview process publish pull push
  put query read rebase recommend refresh register reject release reload remove rename render reorder replace reply
  request reset resolve restart restore resume retrieve retry revert review revoke rotate run save scan schedule scrape
  search select send set share show sort start stop store stream submit subscribe suggest summarize sync tail test
  toggle track transfer transform translate trigger unlock unsubscribe update upload upsert use validate verify view
  wait watch write`
    .split(/\s+/)
    .map(stem),
);

/**
 * Tools gathered under the word that they share with most others here, the same for the same tools on every machine.
 * `said` are the words that led here. Tools that share none with only some of the others are in no subject.
 */
export function clusterTools(tools: readonly ToolContract[], said: ReadonlySet<string>): Cluster[] {
  const topics = new Map(tools.map((tool) => [tool, topicsOf(tool, said)]));
  const spread = new Map<string, number>();
  for (const words of topics.values())
    for (const word of words) spread.set(word, (spread.get(word) ?? 0) + 1);
  // What all of them say tells none of them apart.
  for (const [tool, words] of topics)
    topics.set(
      tool,
      words.filter((word) => spread.get(word)! < tools.length),
    );
  const widest = (tool: ToolContract): string => {
    const shared = topics.get(tool)!.filter((word) => spread.get(word)! > 1);
    return shared.sort((a, b) => spread.get(b)! - spread.get(a)! || (a < b ? -1 : 1))[0] ?? '';
  };
  return [...Map.groupBy(tools, widest)]
    .filter(([subject, members]) => subject !== '' && members.length > 1)
    .map(([subject, members]) => named(subject, members, topics))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
}

function topicsOf(tool: ToolContract, said: ReadonlySet<string>): string[] {
  const words = [...new Set(searchWords(plainWordsOf(tool.name)))].filter((word) => !said.has(word));
  const things = words.filter((word) => !ACTIONS.has(word));
  return things.length > 0 ? things : words;
}

/** `pull` is only half of what its members are about where each of them says `pull_request`. */
function named(
  subject: string,
  members: readonly ToolContract[],
  topics: ReadonlyMap<ToolContract, readonly string[]>,
): Cluster {
  const [first] = members as [ToolContract, ...ToolContract[]];
  const words = topics
    .get(first)!
    .filter((word) => members.every((tool) => topics.get(tool)!.includes(word)));
  const written = plainWordsOf(first.name).filter((word) => words.includes(stem(word)));
  return { label: written.join('-') || subject, words, members };
}
