import { isJsonObject } from '../../base/json/json.ts';
import { plainValue } from '../../base/json/plain-value.ts';
import { escapeToken } from '../../base/json/pointer.ts';
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
/** The index takes at most this share of the budget: a tool without a schema in the text cannot be called at once. */
const INDEX_SHARE = 0.5;
const MAX_REFERENCE_LENGTH = 240;

/**
 * Three tiers: an index of every tool; the whole schemas with the highest total value for the objective; and one-line
 * references for candidates whose schema did not fit. The text never exceeds the budget.
 */
export function compileAffordances(context: BrowseContext, objective: string, budget: number): Affordances {
  if (objective.trim() === '') throw new Fault('INVALID_INPUT', 'The objective must not be empty.');
  if (!Number.isSafeInteger(budget) || budget < 1) {
    throw new Fault('INVALID_INPUT', 'The budget must be a whole number of tokens, at least 1.');
  }
  const { countTokens } = context;
  // A schema that cannot be used would only take up the budget.
  const ranked = context
    .rank(objective, CANDIDATES)
    .filter(({ contract }) => contract.schemaDefect === undefined);
  const index = fitIndex(context, ranked, Math.floor(budget * INDEX_SHARE));
  const left = budget - countTokens(index.text);
  const chosen = selectSchemas(ranked, left, countTokens);
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

/** As much of the index as fits, with the tools that match the objective first. */
function fitIndex(
  { snapshot, maySee, countTokens }: BrowseContext,
  ranked: readonly Ranked[],
  budget: number,
): { readonly text: string; readonly count: number } {
  const visible = snapshot.contracts.filter(maySee);
  const complete = toolIndex(visible, countTokens);
  if (countTokens(complete) <= budget) return { text: complete, count: visible.length };
  const matching = new Set(ranked.map(({ contract }) => contract));
  const ordered = [...matching, ...visible.filter((contract) => !matching.has(contract))];
  const indexOfFirst = (count: number): string => {
    const included = new Set(ordered.slice(0, count));
    return toolIndex(
      visible.filter((contract) => included.has(contract)),
      countTokens,
    );
  };
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(indexOfFirst(middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? { text: '', count: 0 } : { text: indexOfFirst(low), count: low };
}

/** Steeper than the score, because the tool that is meant is worth several similar ones. */
function schemaValue({ score }: Ranked, best: Ranked): number {
  return (score / best.score) ** 4;
}

interface SchemaText {
  readonly id: string;
  readonly text: string;
}

function selectSchemas(ranked: readonly Ranked[], budget: number, countTokens: CountTokens): SchemaText[] {
  const texts = ranked.map(({ contract }) => ({ id: contract.id, text: schemaText(contract) }));
  // A line break can cost a token, so each text is counted with one.
  const items = texts.map(({ text }, index) => ({
    value: schemaValue(ranked[index]!, ranked[0]!),
    cost: countTokens(`\n${text}`),
  }));
  return knapsack(items, budget).map((index) => texts[index]!);
}

function schemaText({ id, description, inputSchema }: ToolContract): string {
  return JSON.stringify({ id, description, input: plainValue(inputSchema) });
}

/** The signature in one line, with JSON pointers to the nested parts of the schema that it omits. */
function referenceTo(contract: ToolContract): string {
  const { properties } = plainValue(contract.inputSchema);
  const nested = Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([, schema]) => isJsonObject(schema) && (schema.type === 'object' || schema.type === 'array'))
    .map(([name]) => `#/properties/${escapeToken(name)}`);
  const details = nested.length === 0 ? '' : ` details: ${nested.join(' ')}`;
  return `${contract.id} ${signatureOf(contract)}${details}`.slice(0, MAX_REFERENCE_LENGTH);
}
