import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { BrowseAnswer, BrowseRequest, ClauseGroup, ScoreExplanation } from '../contract/browse.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { ChoiceCard } from '../contract/tool/card.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { cardLine, fitCard } from './cards/card-line.ts';
import { markUnavailable, nodeCard, showableCard } from './cards/cards.ts';
import { notesOn } from './cards/notes.ts';
import type { StableOrder } from './cards/stable-order.ts';
import { groupsOf } from './ranking/groups.ts';
import type { Ranked } from './ranking/ranker.ts';
import { cutAtDrop } from './ranking/score-cutoff.ts';
import { parsePath } from './tree/path.ts';
import { find, type TreeNode, treeOf } from './tree/tree.ts';

/** What can be browsed, as one caller may see it. */
export interface BrowseContext {
  readonly snapshot: CatalogSnapshot;
  readonly upstreams: readonly UpstreamStatus[];
  readonly maySee: (contract: ToolContract) => boolean;
  /** The best tools for a request, of those that the caller may see. */
  readonly rank: (request: string, limit: number) => readonly Ranked[];
  readonly explain: (request: string, contract: ToolContract) => ScoreExplanation;
  readonly countTokens: CountTokens;
  /** What the session has been shown; absent where the best card is to come first. */
  readonly stableOrder?: StableOrder | undefined;
}

const MAX_QUERY_LENGTH = 2_000;
const DEFAULT_TOP_K = 10;
const MAX_TOP_K = 50;

/** The cards for a query, best first, or for a path. Exactly one of the two. */
export function browse(context: BrowseContext, { query, path, topK, explain }: BrowseRequest): BrowseAnswer {
  if ((query === undefined) === (path === undefined)) throw wrong('Give either "query" or "path".');
  const limit = limitOf(topK);
  const found = query !== undefined ? search(context, query, { limit, explain }) : walk(context, path);
  const { leftOut, groups = [], explanations } = found;
  const unavailable = context.upstreams.filter(({ state }) => state.kind !== 'ready');
  const down = new Set(unavailable.map(({ namespace }) => namespace));
  const marked = found.cards.map((card) =>
    down.has(card.namespace) ? markUnavailable(card, context.countTokens) : card,
  );
  const cards = context.stableOrder?.arrange(marked) ?? marked;
  const parts = groups.map(({ asked, ids }) => ({
    asked,
    positions: ids.flatMap((id) => cards.findIndex((card) => card.id === id) + 1 || []),
  }));
  const notes = notesOn({ isEmpty: cards.length === 0, leftOut, unavailable, parts }, context.countTokens);
  const text = [...cards.map(cardLine), ...notes].join('\n');
  return { cards, text, unavailable, groups, ...(explanations && { explanations }) };
}

interface Cards {
  readonly cards: readonly ChoiceCard[];
  readonly leftOut: number;
  readonly groups?: readonly ClauseGroup[];
  readonly explanations?: Readonly<Record<string, ScoreExplanation>>;
}

interface SearchOptions {
  readonly limit: number;
  readonly explain: boolean | undefined;
}

function search(context: BrowseContext, query: unknown, { limit, explain }: SearchOptions): Cards {
  if (typeof query !== 'string' || query.trim() === '') throw wrong('"query" must be some words.');
  if (query.length > MAX_QUERY_LENGTH)
    throw wrong(`"query" must not be longer than ${MAX_QUERY_LENGTH} characters.`);
  const ranked = cutAtDrop(context.rank(query, limit));
  const cards = ranked.flatMap(({ contract, score }) => {
    const card = showableCard(contract, context.countTokens);
    return card ? [{ ...card, score }] : [];
  });
  return {
    cards,
    leftOut: ranked.length - cards.length,
    groups: groupsOf(ranked),
    ...(explain && { explanations: explanationsOf(context, query, ranked) }),
  };
}

function explanationsOf(
  { explain }: BrowseContext,
  query: string,
  ranked: readonly Ranked[],
): Record<string, ScoreExplanation> {
  return Object.fromEntries(ranked.map(({ contract }) => [contract.id, explain(query, contract)]));
}

function walk(context: BrowseContext, path: unknown): Cards {
  if (typeof path !== 'string') throw wrong('"path" must be text, such as "/".');
  const segments = parsePath(path);
  const children = treeOf(context.snapshot, context.maySee);
  if (segments.length === 0) return listing({ children, leaves: [] }, context.countTokens);
  const found = find(children, segments);
  if (!found)
    throw new Fault('TOOL_NOT_FOUND', 'Nothing is at that path. Walk from "/".', { variant: 'path' });
  return listing('tool' in found ? { children: [], leaves: [found.tool] } : found.place, context.countTokens);
}

function listing(
  { children, leaves }: Pick<TreeNode, 'children' | 'leaves'>,
  countTokens: CountTokens,
): Cards {
  const drawers = children.map(({ path, namespace, tools }) => {
    const names = tools.map(({ name }) => name);
    return fitCard(nodeCard(path, namespace, names), countTokens);
  });
  const cards = leaves.flatMap((tool) => showableCard(tool, countTokens) ?? []);
  return { cards: [...drawers, ...cards], leftOut: leaves.length - cards.length };
}

function limitOf(topK: unknown): number {
  const limit = topK ?? DEFAULT_TOP_K;
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > MAX_TOP_K) {
    throw wrong(`"top_k" must be a whole number from 1 to ${MAX_TOP_K}.`);
  }
  return limit as number;
}

function wrong(message: string): Fault {
  return new Fault('INVALID_INPUT', message);
}
