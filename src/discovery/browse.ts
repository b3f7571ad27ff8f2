import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { BrowseAnswer, BrowseRequest, ClauseGroup, ScoreExplanation } from '../contract/browse.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { ChoiceCard } from '../contract/tool/card.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { cardLine, fitCard } from './cards/card-line.ts';
import { markUnavailable, nodeCard, showableCard } from './cards/cards.ts';
import { notesFor } from './cards/notes.ts';
import type { StableOrder } from './cards/stable-order.ts';
import { groupByClause } from './ranking/clause-groups.ts';
import type { Ranked } from './ranking/ranker.ts';
import { cutAtDrop } from './ranking/score-cutoff.ts';
import { parsePath } from './tree/path.ts';
import { findByPath, type TreeNode, treeOf } from './tree/tree.ts';

/** The catalog as one caller may see it, with the ranking for that caller. */
export interface BrowseContext {
  readonly snapshot: CatalogSnapshot;
  readonly upstreams: readonly UpstreamStatus[];
  readonly maySee: (contract: ToolContract) => boolean;
  /** The best tools for a request, among those that the caller may see. */
  readonly rank: (request: string, limit: number) => readonly Ranked[];
  readonly explain: (request: string, contract: ToolContract) => ScoreExplanation;
  readonly countTokens: CountTokens;
  /** The cards already sent to the session; absent where cards are ordered by score. */
  readonly stableOrder?: StableOrder | undefined;
}

const MAX_QUERY_LENGTH = 2_000;
const DEFAULT_TOP_K = 10;
const MAX_TOP_K = 50;

/** The cards for a query, best first, or for a path. The request has exactly one of the two. */
export function browse(context: BrowseContext, { query, path, topK, explain }: BrowseRequest): BrowseAnswer {
  if ((query === undefined) === (path === undefined)) throw invalidInput('Give either "query" or "path".');
  const limit = parseLimit(topK);
  const found = query !== undefined ? search(context, query, { limit, explain }) : listPath(context, path);
  const { leftOut, groups = [], explanations } = found;
  const unavailable = context.upstreams.filter(({ state }) => state.kind !== 'ready');
  const unavailableNamespaces = new Set(unavailable.map(({ namespace }) => namespace));
  const marked = found.cards.map((card) =>
    unavailableNamespaces.has(card.namespace) ? markUnavailable(card, context.countTokens) : card,
  );
  const cards = context.stableOrder?.arrange(marked) ?? marked;
  const clauses = groups.map(({ asked, ids }) => ({
    text: asked,
    positions: ids.flatMap((id) => cards.findIndex((card) => card.id === id) + 1 || []),
  }));
  const notes = notesFor({ isEmpty: cards.length === 0, leftOut, unavailable, clauses }, context.countTokens);
  const text = [...cards.map(cardLine), ...notes].join('\n');
  return { cards, text, unavailable, groups, ...(explanations && { explanations }) };
}

interface CardList {
  readonly cards: readonly ChoiceCard[];
  readonly leftOut: number;
  readonly groups?: readonly ClauseGroup[];
  readonly explanations?: Readonly<Record<string, ScoreExplanation>>;
}

interface SearchOptions {
  readonly limit: number;
  readonly explain: boolean | undefined;
}

function search(context: BrowseContext, query: unknown, { limit, explain }: SearchOptions): CardList {
  if (typeof query !== 'string' || query.trim() === '')
    throw invalidInput('"query" must be text that is not empty.');
  if (query.length > MAX_QUERY_LENGTH)
    throw invalidInput(`"query" must not be longer than ${MAX_QUERY_LENGTH} characters.`);
  const ranked = cutAtDrop(context.rank(query, limit));
  const cards = ranked.flatMap(({ contract, score }) => {
    const card = showableCard(contract, context.countTokens);
    return card ? [{ ...card, score }] : [];
  });
  return {
    cards,
    leftOut: ranked.length - cards.length,
    groups: groupByClause(ranked),
    ...(explain && { explanations: explainAll(context, query, ranked) }),
  };
}

function explainAll(
  { explain }: BrowseContext,
  query: string,
  ranked: readonly Ranked[],
): Record<string, ScoreExplanation> {
  return Object.fromEntries(ranked.map(({ contract }) => [contract.id, explain(query, contract)]));
}

function listPath(context: BrowseContext, path: unknown): CardList {
  if (typeof path !== 'string') throw invalidInput('"path" must be text, such as "/".');
  const segments = parsePath(path);
  const children = treeOf(context.snapshot, context.maySee);
  if (segments.length === 0) return listNode({ children, leaves: [] }, context.countTokens);
  const found = findByPath(children, segments);
  if (!found) requireReady(context, segments[0]!);
  if (!found)
    throw new Fault('TOOL_NOT_FOUND', 'No namespace, group or tool is at that path. Browse from "/".', {
      variant: 'path',
    });
  return listNode('tool' in found ? { children: [], leaves: [found.tool] } : found.node, context.countTokens);
}

/** The tools of an upstream that is starting or down may not be listed yet: that is not the same as no such path. */
function requireReady({ upstreams }: BrowseContext, namespace: string): void {
  const upstream = upstreams.find((status) => status.namespace === namespace);
  if (!upstream || upstream.tools > 0 || upstream.state.kind === 'ready') return;
  const state = upstream.state.kind.replaceAll('_', ' ');
  throw new Fault('UPSTREAM_UNAVAILABLE', `Upstream ${namespace} has no tools yet: ${state}.`, {
    effect: 'none',
  });
}

function listNode(
  { children, leaves }: Pick<TreeNode, 'children' | 'leaves'>,
  countTokens: CountTokens,
): CardList {
  const nodes = children.map(({ path, namespace, tools }) => {
    const names = tools.map(({ name }) => name);
    return fitCard(nodeCard(path, namespace, names), countTokens);
  });
  const cards = leaves.flatMap((tool) => showableCard(tool, countTokens) ?? []);
  return { cards: [...nodes, ...cards], leftOut: leaves.length - cards.length };
}

function parseLimit(topK: unknown): number {
  const limit = topK ?? DEFAULT_TOP_K;
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > MAX_TOP_K) {
    throw invalidInput(`"top_k" must be a whole number from 1 to ${MAX_TOP_K}.`);
  }
  return limit as number;
}

function invalidInput(message: string): Fault {
  return new Fault('INVALID_INPUT', message);
}
