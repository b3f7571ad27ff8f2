import { plainLine } from '../../base/text/plain-text.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { ChoiceCard } from '../../contract/tool/card.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { CatalogError } from '../../contract/tool/tool-id.ts';
import { fitCard } from './card-line.ts';

const MAX_TAGS = 5;
/** Upstreams write the tags, and in some scripts a character costs several tokens: tags must not use up the budget. */
const MAX_TAG_TOKENS = 24;
const MAX_ARGUMENT_TOKENS = 16;
/** Other names could be sentences, and an upstream must not write into a card what looks like ours. */
const ARGUMENT_NAME = /^[\w.$-]{1,64}$/;
const UNAVAILABLE = 'unavailable';
const UNUSABLE = 'unusable';
const CANNOT_BE_CALLED = 'Cannot be called: its schema is invalid.';
const PRIORITY_TAGS = new Set(['destructive', 'read-only', UNAVAILABLE, UNUSABLE]);
const MAX_LISTED_NAMES = 6;

const cardCache = new WeakMap<ToolContract, ChoiceCard>();

/** A tool's card. It depends on the contract alone, so it is cached with it. */
export function cardOf(contract: ToolContract, countTokens: CountTokens): ChoiceCard {
  let card = cardCache.get(contract);
  if (!card) {
    card = fitCard(fullCard(contract, countTokens), countTokens);
    cardCache.set(contract, card);
  }
  return card;
}

/** The card, or undefined where the id alone exceeds the budget: one such tool must not fail the whole answer. */
export function showableCard(contract: ToolContract, countTokens: CountTokens): ChoiceCard | undefined {
  try {
    return cardOf(contract, countTokens);
  } catch (thrown) {
    if (thrown instanceof CatalogError) return undefined;
    throw thrown;
  }
}

/** Adds the tag `unavailable`; the card is unchanged where the tag does not fit. */
export function markUnavailable(card: ChoiceCard, countTokens: CountTokens): ChoiceCard {
  try {
    return fitCard({ ...card, tags: selectTags([...card.tags, UNAVAILABLE], countTokens) }, countTokens);
  } catch (thrown) {
    if (thrown instanceof CatalogError) return card;
    throw thrown;
  }
}

/** A tool with an invalid schema stays findable. The defect itself may quote the schema, which no card contains. */
function fullCard(contract: ToolContract, countTokens: CountTokens): ChoiceCard {
  const isUsable = contract.schemaDefect === undefined;
  const description = isUsable ? contract.description : `${CANNOT_BE_CALLED} ${contract.description}`;
  return {
    id: contract.id,
    name: contract.name.slice(0, 64),
    description: plainLine(description, 1_000),
    tags: selectTags(isUsable ? contract.tags : [...contract.tags, UNUSABLE], countTokens),
    kind: 'tool',
    namespace: contract.namespace,
    ...requiredArguments(contract, countTokens),
    hasSchema: Object.keys(contract.inputSchema).length > 0,
    costHint: contract.cost.perCall ?? 0,
    hasSideEffects: contract.mutation !== 'read_only',
    safety:
      contract.mutation === 'write_irreversible'
        ? 'destructive'
        : contract.mutation === 'read_only'
          ? 'read_only'
          : '',
  };
}

/** All required arguments or none: a part of them would look like all. */
function requiredArguments(
  { inputSchema }: ToolContract,
  countTokens: CountTokens,
): Pick<ChoiceCard, 'requiredArguments'> {
  const names: readonly unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const areNames = names.every((name) => typeof name === 'string' && ARGUMENT_NAME.test(name));
  if (!areNames || countTokens(names.join(', ')) > MAX_ARGUMENT_TOKENS) return {};
  return { requiredArguments: names as readonly string[] };
}

/** Takes safety tags first, so that no other tag can displace one. */
function selectTags(tags: readonly string[], countTokens: CountTokens): string[] {
  const selected = tags.filter((tag) => PRIORITY_TAGS.has(tag));
  for (const tag of tags.filter((other) => !PRIORITY_TAGS.has(other))) {
    const extended = [...selected, tag];
    if (extended.length <= MAX_TAGS && countTokens(extended.join(', ')) <= MAX_TAG_TOKENS) selected.push(tag);
  }
  return selected.sort();
}

/** The card of a namespace or a group. Its id is its path. */
export function nodeCard(path: string, namespace: string, toolNames: readonly string[]): ChoiceCard {
  const count = `${toolNames.length} ${toolNames.length === 1 ? 'tool' : 'tools'}`;
  const names = toolNames.slice(0, MAX_LISTED_NAMES).join(', ');
  return {
    id: path,
    name: path.slice(path.lastIndexOf('/') + 1),
    description: `${count}: ${names}${toolNames.length > MAX_LISTED_NAMES ? ', …' : ''}`,
    tags: [],
    kind: 'internal',
    namespace,
    hasSchema: false,
    costHint: 0,
    hasSideEffects: false,
    safety: '',
  };
}
