import { isJsonObject } from '../../base/json/json.ts';
import { signatureOf } from '../../catalog/signature.ts';
import type { Affordances } from '../../contract/affordances.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { CountTokens } from '../../contract/ports/count-tokens.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { BrowseContext } from '../browse.ts';
import type { Ranked } from '../ranking/ranker.ts';
import { knapsack } from './knapsack.ts';
import { toolIndex } from './tool-index.ts';

const CANDIDATES = 50;
/** The index never takes more than this share: without a schema nothing can be called at once. */
const INDEX_SHARE = 0.5;
const MAX_REFERENCE_LENGTH = 240;

/**
 * Three tiers: an index of every tool; the whole schemas that are worth most for the objective and fit together; and a
 * reference for those that do not fit, with pointers to what was left out. Never more than the budget.
 */
export function compileAffordances(shelf: BrowseContext, objective: string, budget: number): Affordances {
  if (objective.trim() === '') throw new Fault('INVALID_INPUT', 'The objective must be some words.');
  if (!Number.isSafeInteger(budget) || budget < 1) {
    throw new Fault('INVALID_INPUT', 'The budget must be a whole number of tokens, from 1.');
  }
  const { countTokens } = shelf;
  const ranked = shelf.rank(objective, CANDIDATES);
  const index = indexWithin(shelf, ranked, Math.floor(budget * INDEX_SHARE));
  const left = budget - countTokens(index.text);
  const chosen = schemasWithin(ranked, left, countTokens);
  const parts = [index.text, ...chosen.map(({ text }) => text)].filter((text) => text !== '');
  const references: string[] = [];
  for (const { contract } of ranked) {
    if (chosen.some(({ id }) => id === contract.id)) continue;
    const reference = referenceTo(contract);
    if (countTokens([...parts, reference].join('\n')) > budget) continue;
    parts.push(reference);
    references.push(contract.id);
  }
  const text = parts.join('\n');
  const tokens = countTokens(text);
  const schemas = chosen.map(({ id }) => id);
  return { text, tokens, tokensLeft: budget - tokens, indexed: index.count, schemas, references };
}

/** As much of the index as fits, what the objective speaks of first. */
function indexWithin(
  { snapshot, maySee, countTokens }: BrowseContext,
  ranked: readonly Ranked[],
  budget: number,
): { readonly text: string; readonly count: number } {
  const visible = snapshot.contracts.filter(maySee);
  const whole = toolIndex(visible, countTokens);
  if (countTokens(whole) <= budget) return { text: whole, count: visible.length };
  const wanted = new Set(ranked.map(({ contract }) => contract));
  const ordered = [...wanted, ...visible.filter((contract) => !wanted.has(contract))];
  const textOf = (count: number): string => {
    const kept = new Set(ordered.slice(0, count));
    return toolIndex(
      visible.filter((contract) => kept.has(contract)),
      countTokens,
    );
  };
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(textOf(middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? { text: '', count: 0 } : { text: textOf(low), count: low };
}

/** Steeper than the score: the tool that is meant is worth several that are merely near. */
function usefulness({ score }: Ranked, best: Ranked): number {
  return (score / best.score) ** 4;
}

interface SchemaText {
  readonly id: string;
  readonly text: string;
}

function schemasWithin(ranked: readonly Ranked[], budget: number, countTokens: CountTokens): SchemaText[] {
  const texts = ranked.map(({ contract }) => ({ id: contract.id, text: schemaText(contract) }));
  // A line break can cost a token of its own, so each text is weighed with one.
  const items = texts.map(({ text }, index) => ({
    value: usefulness(ranked[index]!, ranked[0]!),
    cost: countTokens(`\n${text}`),
  }));
  return knapsack(items, budget).map((index) => texts[index]!);
}

function schemaText({ id, description, inputSchema }: ToolContract): string {
  return JSON.stringify({ id, description, input: inputSchema });
}

/** The call in one line, and where in the schema the nested parts are that the line leaves out. */
function referenceTo(contract: ToolContract): string {
  const { properties } = contract.inputSchema;
  const nested = Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([, schema]) => isJsonObject(schema) && (schema.type === 'object' || schema.type === 'array'))
    .map(([name]) => `#/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  const details = nested.length === 0 ? '' : ` details: ${nested.join(' ')}`;
  return `${contract.id} ${signatureOf(contract)}${details}`.slice(0, MAX_REFERENCE_LENGTH);
}
