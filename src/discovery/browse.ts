import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { ChoiceCard } from '../contract/card.ts';
import { Fault } from '../contract/errors.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { ToolContract } from '../contract/tool.ts';
import { CatalogError } from '../contract/tool-id.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { indexOf } from './bm25.ts';
import { cardLine, fitCard } from './card-text.ts';
import { cardOf, placeCard } from './cards.ts';
import { unavailableNote } from './notes.ts';
import { parsePath } from './path.ts';
import { find, placesOf } from './tree.ts';

/** What can be browsed, as one caller may see it. */
export interface Shelf {
  readonly snapshot: CatalogSnapshot;
  readonly upstreams: readonly UpstreamStatus[];
  readonly maySee: (contract: ToolContract) => boolean;
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
  const cards = query !== undefined ? search(shelf, query, limitOf(topK)) : walk(shelf, path);
  const unavailable = shelf.upstreams.filter(({ state }) => state.kind !== 'ready');
  const marked = cards.map((card) => markUnavailable(card, unavailable, shelf.countTokens));
  const note = unavailableNote(unavailable, shelf.countTokens);
  const empty = marked.length === 0 ? ['Nothing matches. Use other words, or walk from path "/".'] : [];
  return { cards: marked, text: [...empty, ...marked.map(cardLine), ...note].join('\n'), unavailable };
}

function search(shelf: Shelf, query: unknown, limit: number): ChoiceCard[] {
  if (typeof query !== 'string' || query.trim() === '') throw wrong('"query" must be some words.');
  if (query.length > MAX_QUERY_LENGTH)
    throw wrong(`"query" must not be longer than ${MAX_QUERY_LENGTH} characters.`);
  return indexOf(shelf.snapshot)
    .rank(query)
    .filter(({ contract }) => shelf.maySee(contract))
    .slice(0, limit)
    .flatMap(({ contract, score }) =>
      showable(contract, shelf.countTokens).map((card) => ({
        ...card,
        score: Math.round(score * 10_000) / 10_000,
      })),
    );
}

function walk(shelf: Shelf, path: unknown): ChoiceCard[] {
  if (typeof path !== 'string') throw wrong('"path" must be text, such as "/".');
  const segments = parsePath(path);
  const places = placesOf(shelf.snapshot.contracts.filter(shelf.maySee));
  const placed = (place: { path: string; namespace: string; tools: readonly ToolContract[] }): ChoiceCard =>
    fitCard(
      placeCard(
        place.path,
        place.namespace,
        place.tools.map(({ name }) => name),
      ),
      shelf.countTokens,
    );
  if (segments.length === 0) return places.map(placed);
  const found = find(places, segments);
  if (!found)
    throw new Fault('TOOL_NOT_FOUND', 'Nothing is at that path. Walk from "/".', { variant: 'path' });
  if ('tool' in found) return showable(found.tool, shelf.countTokens);
  const { place } = found;
  return [...place.places.map(placed), ...place.leaves.flatMap((tool) => showable(tool, shelf.countTokens))];
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

function markUnavailable(
  card: ChoiceCard,
  unavailable: readonly UpstreamStatus[],
  countTokens: CountTokens,
): ChoiceCard {
  if (!unavailable.some(({ namespace }) => namespace === card.namespace)) return card;
  return fitCard({ ...card, tags: [...card.tags.slice(0, 4), 'unavailable'].sort() }, countTokens);
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
