import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { ChoiceCard } from '../../contract/tool/card.ts';
import { CatalogError } from '../../contract/tool/tool-id.ts';

export const CARD_TARGET_TOKENS = 60;
export const CARD_MAX_TOKENS = 80;
/** The names of the arguments must leave this much for the description. */
const MIN_DESCRIPTION_TOKENS = 20;

/** The text form that a model reads: `id(required arguments): description [tags] !mark cost=…`, without absent parts. */
export function cardLine(card: ChoiceCard): string {
  const description = card.description === '' ? '' : `: ${card.description}`;
  const tags = card.tags.length === 0 ? '' : ` [${card.tags.join(', ')}]`;
  const cost = card.costHint > 0 ? ` cost=${card.costHint}` : '';
  return `${card.id}${labelOf(card)}${description}${tags}${safetyMark(card)}${cost}`;
}

/** The specification gives tree nodes the kind `internal`, but in Toolgate that word means hidden from callers. */
function labelOf({ id, kind, requiredArguments }: ChoiceCard): string {
  if (requiredArguments) return `(${requiredArguments.join(', ')})`;
  if (kind !== 'internal' || !id.startsWith('/')) return ` (${kind})`;
  return id.lastIndexOf('/') === 0 ? ' (namespace)' : ' (group)';
}

function safetyMark({ safety, hasSideEffects }: ChoiceCard): string {
  if (safety === 'destructive') return ' !destructive';
  if (safety === 'read_only') return ' !read-only';
  return hasSideEffects ? ' !side-effects' : '';
}

/** The cost of a card in an answer: its line with the line break. */
function tokensOf(card: ChoiceCard, countTokens: CountTokens): number {
  return countTokens(`${cardLine(card)}\n`);
}

/**
 * Shortens the description until the line fits the budget; the names of the arguments are omitted where they leave too
 * little for it. Nothing else is shortened. Throws where the rest does not fit.
 */
export function fitCard(card: ChoiceCard, countTokens: CountTokens): ChoiceCard {
  if (tokensOf(card, countTokens) <= CARD_TARGET_TOKENS) return card;
  const withoutDescription = tokensOf({ ...card, description: '' }, countTokens);
  if (card.requiredArguments && withoutDescription > CARD_TARGET_TOKENS - MIN_DESCRIPTION_TOKENS) {
    const { requiredArguments: _, ...withoutNames } = card;
    return fitCard(withoutNames, countTokens);
  }
  if (withoutDescription > CARD_MAX_TOKENS) {
    throw new CatalogError(
      `the card of ${card.id.slice(0, 80)} does not fit into ${CARD_MAX_TOKENS} tokens, even without its description`,
    );
  }
  // Adjacent parts of a line can share a token, so the budget is checked on the whole line.
  for (let budget = CARD_TARGET_TOKENS - withoutDescription; budget > 0; budget--) {
    const shortened = { ...card, description: truncate(card.description, budget, countTokens) };
    if (tokensOf(shortened, countTokens) <= CARD_TARGET_TOKENS) return shortened;
  }
  return { ...card, description: '' };
}

/** The longest run of whole sentences within the budget; where no sentence fits, a cut with an ellipsis. */
export function truncate(text: string, budget: number, countTokens: CountTokens): string {
  if (countTokens(text) <= budget) return text;
  const sentenceEnds = [...text.matchAll(/[.!?](?=\s|$)/g)].map((match) => match.index + 1);
  for (const end of sentenceEnds.reverse()) {
    const prefix = text.slice(0, end);
    if (countTokens(prefix) <= budget) return prefix;
  }
  const characters = Array.from(text);
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(characters.slice(0, middle).join('')) <= budget - 1) low = middle;
    else high = middle - 1;
  }
  const cut = characters.slice(0, low).join('').trimEnd();
  return cut === '' ? '' : `${cut}…`;
}
