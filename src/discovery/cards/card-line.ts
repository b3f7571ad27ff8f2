import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { ChoiceCard } from '../../contract/tool/card.ts';
import { CatalogError } from '../../contract/tool/tool-id.ts';

export const CARD_TARGET_TOKENS = 60;
export const CARD_MAX_TOKENS = 80;

/** The line that a model reads: `id (kind): description [tags] !mark cost=…`, absent parts left out. */
export function cardLine(card: ChoiceCard): string {
  const description = card.description === '' ? '' : `: ${card.description}`;
  const tags = card.tags.length === 0 ? '' : ` [${card.tags.join(', ')}]`;
  const cost = card.cost_hint > 0 ? ` cost=${card.cost_hint}` : '';
  return `${card.id} (${card.kind})${description}${tags}${markOf(card)}${cost}`;
}

function markOf({ safety, side_effects: sideEffects }: ChoiceCard): string {
  if (safety === 'destructive') return ' !destructive';
  if (safety === 'read_only') return ' !read-only';
  return sideEffects ? ' !side-effects' : '';
}

/** What the card costs in an answer: its line, with the end of it. */
function tokensOf(card: ChoiceCard, countTokens: CountTokens): number {
  return countTokens(`${cardLine(card)}\n`);
}

/** Cuts a card's description, and nothing else, until its line keeps the budget. Refuses what still does not. */
export function fitCard(card: ChoiceCard, countTokens: CountTokens): ChoiceCard {
  if (tokensOf(card, countTokens) <= CARD_TARGET_TOKENS) return card;
  const bare = tokensOf({ ...card, description: '' }, countTokens);
  if (bare > CARD_MAX_TOKENS) {
    throw new CatalogError(
      `the card of ${card.id.slice(0, 80)} cannot be shown in ${CARD_MAX_TOKENS} tokens`,
    );
  }
  // The parts of a line can share a token with their neighbours, so the budget is tried on the whole line.
  for (let budget = CARD_TARGET_TOKENS - bare; budget > 0; budget--) {
    const fitted = { ...card, description: truncate(card.description, budget, countTokens) };
    if (tokensOf(fitted, countTokens) <= CARD_TARGET_TOKENS) return fitted;
  }
  return { ...card, description: '' };
}

/** The longest run of whole sentences within the budget, else a hard cut with an ellipsis. */
export function truncate(text: string, budget: number, countTokens: CountTokens): string {
  if (countTokens(text) <= budget) return text;
  const sentences = [...text.matchAll(/[.!?](?=\s|$)/g)].map((match) => match.index + 1);
  for (const end of sentences.reverse()) {
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
