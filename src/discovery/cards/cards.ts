import { plainLine } from '../../base/text/plain-text.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { ChoiceCard } from '../../contract/tool/card.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { CatalogError } from '../../contract/tool/tool-id.ts';
import { fitCard } from './card-line.ts';

const MAX_TAGS = 5;
/** Tags come from upstreams: a few long ones in a script that costs many tokens must not crowd their tool out. */
const MAX_TAG_TOKENS = 24;
const UNAVAILABLE = 'unavailable';
const KEPT_FIRST = new Set(['destructive', 'read-only', UNAVAILABLE]);

const fitted = new WeakMap<ToolContract, ChoiceCard>();

/** A tool's card, made once: everything on it comes from the contract. */
export function cardOf(contract: ToolContract, countTokens: CountTokens): ChoiceCard {
  let card = fitted.get(contract);
  if (!card) {
    card = fitCard(plainCard(contract, countTokens), countTokens);
    fitted.set(contract, card);
  }
  return card;
}

/** The card, or nothing where the bare id breaks the budget: that must not cost the caller the other cards. */
export function showableCard(contract: ToolContract, countTokens: CountTokens): ChoiceCard | undefined {
  try {
    return cardOf(contract, countTokens);
  } catch (thrown) {
    if (thrown instanceof CatalogError) return undefined;
    throw thrown;
  }
}

/** The card of a tool whose upstream is not there; as it was where the mark does not fit on it. */
export function markUnavailable(card: ChoiceCard, countTokens: CountTokens): ChoiceCard {
  try {
    return fitCard({ ...card, tags: keptTags([...card.tags, UNAVAILABLE], countTokens) }, countTokens);
  } catch (thrown) {
    if (thrown instanceof CatalogError) return card;
    throw thrown;
  }
}

function plainCard(contract: ToolContract, countTokens: CountTokens): ChoiceCard {
  return {
    id: contract.id,
    name: contract.name.slice(0, 64),
    description: plainLine(contract.description, 1_000),
    tags: keptTags(contract.tags, countTokens),
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
function keptTags(tags: readonly string[], countTokens: CountTokens): string[] {
  const kept = tags.filter((tag) => KEPT_FIRST.has(tag));
  for (const tag of tags.filter((other) => !KEPT_FIRST.has(other))) {
    const more = [...kept, tag];
    if (more.length <= MAX_TAGS && countTokens(more.join(', ')) <= MAX_TAG_TOKENS) kept.push(tag);
  }
  return kept.sort();
}

/** The card of a place in the tree: its id is the path that leads there. */
export function nodeCard(path: string, namespace: string, contents: readonly string[]): ChoiceCard {
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
