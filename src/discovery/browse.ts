import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { ChoiceCard } from '../contract/card.ts';
import { Fault } from '../contract/errors.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { ToolContract } from '../contract/tool.ts';
import { CatalogError } from '../contract/tool-id.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { cardLine, fitCard } from './card-text.ts';
import { cardOf, markUnavailable, placeCard } from './cards.ts';
import { notesOn } from './notes.ts';
import { parsePath } from './path.ts';
import type { Ranked } from './ranking/ranker.ts';
import { find, type Place, treeOf } from './tree.ts';

/** What can be browsed, as one caller may see it. */
export interface Shelf {
  readonly snapshot: CatalogSnapshot;
  readonly upstreams: readonly UpstreamStatus[];
  readonly maySee: (contract: ToolContract) => boolean;
  /** The best tools for a request, of those that `maySee` lets through. */
  readonly rank: (request: string, limit: number, maySee: Shelf['maySee']) => readonly Ranked[];
  readonly countTokens: CountTokens;
}

export interface BrowseRequest {
  readonly query?: unknown;
  readonly path?: unknown;
  readonly topK?: unknown;
}

export interface BrowseAnswer {
  readonly cards: readonly ChoiceCard[];
  /** What a model reads. */
  readonly text: string;
  /** Upstreams whose tools cannot be called now, with the reason. */
  readonly unavailable: readonly UpstreamStatus[];
}

const MAX_QUERY_LENGTH = 2_000;
const DEFAULT_TOP_K = 10;
const MAX_TOP_K = 50;

/** The cards for a query, best first, or for a path. Exactly one of the two. */
export function browse(shelf: Shelf, { query, path, topK }: BrowseRequest): BrowseAnswer {
  if ((query === undefined) === (path === undefined)) throw wrong('Give either "query" or "path".');
  const limit = limitOf(topK);
  const { cards, leftOut } = query !== undefined ? search(shelf, query, limit) : walk(shelf, path);
  const unavailable = shelf.upstreams.filter(({ state }) => state.kind !== 'ready');
  const down = new Set(unavailable.map(({ namespace }) => namespace));
  const marked = cards.map((card) =>
    down.has(card.namespace) ? markUnavailable(card, shelf.countTokens) : card,
  );
  const notes = notesOn({ isEmpty: marked.length === 0, leftOut, unavailable }, shelf.countTokens);
  return { cards: marked, text: [...marked.map(cardLine), ...notes].join('\n'), unavailable };
}

interface Cards {
  readonly cards: readonly ChoiceCard[];
  readonly leftOut: number;
}

function search(shelf: Shelf, query: unknown, limit: number): Cards {
  if (typeof query !== 'string' || query.trim() === '') throw wrong('"query" must be some words.');
  if (query.length > MAX_QUERY_LENGTH)
    throw wrong(`"query" must not be longer than ${MAX_QUERY_LENGTH} characters.`);
  const ranked = shelf.rank(query, limit, shelf.maySee);
  const cards = ranked.flatMap(({ contract, score }) =>
    showable(contract, shelf.countTokens).map((card) => ({ ...card, score })),
  );
  return { cards, leftOut: ranked.length - cards.length };
}

function walk(shelf: Shelf, path: unknown): Cards {
  if (typeof path !== 'string') throw wrong('"path" must be text, such as "/".');
  const segments = parsePath(path);
  const places = treeOf(shelf.snapshot, shelf.maySee);
  if (segments.length === 0) return listing({ places, leaves: [] }, shelf.countTokens);
  const found = find(places, segments);
  if (!found)
    throw new Fault('TOOL_NOT_FOUND', 'Nothing is at that path. Walk from "/".', { variant: 'path' });
  return listing('tool' in found ? { places: [], leaves: [found.tool] } : found.place, shelf.countTokens);
}

function listing({ places, leaves }: Pick<Place, 'places' | 'leaves'>, countTokens: CountTokens): Cards {
  const drawers = places.map(({ path, namespace, tools }) => {
    const names = tools.map(({ name }) => name);
    return fitCard(placeCard(path, namespace, names), countTokens);
  });
  const cards = leaves.flatMap((tool) => showable(tool, countTokens));
  return { cards: [...drawers, ...cards], leftOut: leaves.length - cards.length };
}

/** A tool whose bare id breaks the budget cannot be shown; that must not cost the caller the other cards. */
function showable(contract: ToolContract, countTokens: CountTokens): ChoiceCard[] {
  try {
    return [cardOf(contract, countTokens)];
  } catch (thrown) {
    if (thrown instanceof CatalogError) return [];
    throw thrown;
  }
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
