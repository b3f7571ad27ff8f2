import type { ChoiceCard } from '../contract/card.ts';
import { plainLine } from '../contract/plain-text.ts';
import type { CountTokens } from '../contract/ports/count-tokens.ts';
import type { ToolContract } from '../contract/tool.ts';
import { fitCard } from './card-text.ts';

const MAX_TAGS = 5;
const SAFETY_TAGS = new Set(['destructive', 'read-only']);

const fitted = new WeakMap<ToolContract, ChoiceCard>();

/** A tool's card, made once: everything on it comes from the contract. */
export function cardOf(contract: ToolContract, countTokens: CountTokens): ChoiceCard {
  let card = fitted.get(contract);
  if (!card) {
    card = fitCard(plainCard(contract), countTokens);
    fitted.set(contract, card);
  }
  return card;
}

function plainCard(contract: ToolContract): ChoiceCard {
  return {
    id: contract.id,
    name: contract.name.slice(0, 64),
    description: plainLine(contract.description, 1_000),
    tags: keptTags(contract.tags),
    kind: 'tool',
    namespace: contract.namespace,
    has_schema: Object.keys(contract.inputSchema).length > 0,
    cost_hint: contract.cost.perCall ?? 0,
    side_effects: contract.mutation !== 'read_only',
    safety:
      contract.mutation === 'write_irreversible'
        ? 'destructive'
        : contract.mutation === 'read_only'
          ? 'read_only'
          : '',
  };
}

/** Safety marks are kept first, so that no other tag can push one out. */
function keptTags(tags: readonly string[]): string[] {
  const safety = tags.filter((tag) => SAFETY_TAGS.has(tag));
  const others = tags.filter((tag) => !SAFETY_TAGS.has(tag)).slice(0, Math.max(MAX_TAGS - safety.length, 0));
  return [...safety, ...others].sort();
}

/** The card of a place in the tree: its id is the path that leads there. */
export function placeCard(path: string, namespace: string, contents: readonly string[]): ChoiceCard {
  const noun = contents.length === 1 ? 'tool' : 'tools';
  const named = contents.slice(0, 6).join(', ');
  return {
    id: path,
    name: path.slice(path.lastIndexOf('/') + 1),
    description: `${contents.length} ${noun}: ${named}${contents.length > 6 ? ', …' : ''}`,
    tags: [],
    kind: 'internal',
    namespace,
    has_schema: false,
    cost_hint: 0,
    side_effects: false,
    safety: '',
  };
}
