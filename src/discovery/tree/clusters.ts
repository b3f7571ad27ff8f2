import type { ToolContract } from '../../contract/tool/tool.ts';
import { plainWordsOf, searchWords, stem } from '../ranking/words.ts';

/** Tools whose names share words. */
export interface Cluster {
  /** The shared words as the tools spell them. */
  readonly label: string;
  /** Stems of the shared words, which labels of nested clusters do not repeat. */
  readonly words: readonly string[];
  readonly members: readonly ToolContract[];
}

/** Verbs in tool names. People browse by object, so a verb labels a cluster only where the name has no other word. */
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
 * Groups tools by the word that each shares with the most others; the result is the same on every machine. `pathWords`
 * are the words of the path so far. A tool that shares no word, or only words that all tools have, is in no cluster.
 */
export function clusterTools(tools: readonly ToolContract[], pathWords: ReadonlySet<string>): Cluster[] {
  const topics = new Map(tools.map((tool) => [tool, topicsOf(tool, pathWords)]));
  const frequency = new Map<string, number>();
  for (const words of topics.values())
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  // A word that every tool has distinguishes none of them.
  for (const [tool, words] of topics)
    topics.set(
      tool,
      words.filter((word) => frequency.get(word)! < tools.length),
    );
  const mostSharedWord = (tool: ToolContract): string => {
    const shared = topics.get(tool)!.filter((word) => frequency.get(word)! > 1);
    return shared.sort((a, b) => frequency.get(b)! - frequency.get(a)! || (a < b ? -1 : 1))[0] ?? '';
  };
  return [...Map.groupBy(tools, mostSharedWord)]
    .filter(([word, members]) => word !== '' && members.length > 1)
    .map(([word, members]) => makeCluster(word, members, topics))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
}

function topicsOf(tool: ToolContract, pathWords: ReadonlySet<string>): string[] {
  const words = [...new Set(searchWords(plainWordsOf(tool.name)))].filter((word) => !pathWords.has(word));
  const objects = words.filter((word) => !ACTIONS.has(word));
  return objects.length > 0 ? objects : words;
}

/** The label has every word that all members share: `pull-request` instead of `pull` where each name has both words. */
function makeCluster(
  word: string,
  members: readonly ToolContract[],
  topics: ReadonlyMap<ToolContract, readonly string[]>,
): Cluster {
  const [first] = members as [ToolContract, ...ToolContract[]];
  const words = topics
    .get(first)!
    .filter((topic) => members.every((tool) => topics.get(tool)!.includes(topic)));
  const spelled = plainWordsOf(first.name).filter((plain) => words.includes(stem(plain)));
  return { label: spelled.join('-') || word, words, members };
}
