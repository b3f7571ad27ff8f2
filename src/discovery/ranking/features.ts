import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { WordVectors } from './word-vectors.ts';
import { plainWordsOf, searchWords } from './words.ts';

/** What a ranking knows of a tool: its words with their weights, and the direction of what it says of itself. */
export interface ToolFeatures {
  readonly weights: ReadonlyMap<string, number>;
  readonly vector: Float32Array | undefined;
}

export interface Field {
  readonly weight: number;
  /** How much a long field dilutes its words, from 0 to 1. */
  readonly dilution: number;
  /** The usual length, in words. Fixed, so that a tool's features do not depend on its neighbours. */
  readonly usual: number;
}

/** What a tool says of itself. Examples are said of it, and laid over the index for those whom they concern. */
export type FieldName = 'name' | 'namespace' | 'description' | 'tags' | 'parameters' | 'parameterTexts';

export const FIELDS: Readonly<Record<FieldName | 'examples', Field>> = {
  name: { weight: 3, dilution: 0.3, usual: 3 },
  namespace: { weight: 3, dilution: 0, usual: 1 },
  description: { weight: 1, dilution: 0.75, usual: 16 },
  tags: { weight: 1, dilution: 0.5, usual: 3 },
  parameters: { weight: 0.5, dilution: 0.5, usual: 5 },
  parameterTexts: { weight: 0.25, dilution: 0.75, usual: 24 },
  examples: { weight: 0.7, dilution: 0.5, usual: 24 },
};

const OWN_FIELDS = Object.keys(FIELDS).filter((name) => name !== 'examples') as FieldName[];

const MAX_EMBEDDED_DESCRIPTION = 400;
const MAX_FIELD_LENGTH = 4_000;

/** `fields` narrows what is read, for measuring what each field earns. */
export function featuresOf(
  contract: ToolContract,
  vectors: WordVectors | undefined,
  fields: readonly FieldName[] = OWN_FIELDS,
): ToolFeatures {
  const texts = fieldTexts(contract);
  const weights = new Map<string, number>();
  for (const name of fields) {
    const { weight, dilution, usual } = FIELDS[name];
    const words = searchWords(plainWordsOf(texts[name].slice(0, MAX_FIELD_LENGTH)));
    const each = weight / (1 - dilution + (dilution * words.length) / usual);
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + each);
  }
  return { weights, vector: vectors && vectorOf(texts, vectors) };
}

/** Half what the tool is called, half all that it says: long descriptions wander. */
function vectorOf(
  { namespace, name, description }: Record<FieldName, string>,
  vectors: WordVectors,
): Float32Array {
  const called = plainWordsOf(`${namespace} ${name}`);
  const short = vectors.embed(called);
  const long = vectors.embed([...called, ...plainWordsOf(description.slice(0, MAX_EMBEDDED_DESCRIPTION))]);
  return short.map((x, i) => (x + long[i]!) / 2);
}

function fieldTexts({
  name,
  namespace,
  title,
  description,
  tags,
  inputSchema,
}: ToolContract): Record<FieldName, string> {
  const properties = isJsonObject(inputSchema.properties) ? inputSchema.properties : {};
  return {
    name: title === undefined ? name : `${name} ${title}`,
    namespace,
    description,
    tags: tags.join(' '),
    parameters: Object.keys(properties).join(' '),
    parameterTexts: Object.values(properties).map(parameterText).join(' '),
  };
}

function parameterText(schema: JsonObject[string]): string {
  if (!isJsonObject(schema)) return '';
  const choices = Array.isArray(schema.enum)
    ? schema.enum.filter((choice) => typeof choice === 'string')
    : [];
  return [typeof schema.description === 'string' ? schema.description : '', ...choices].join(' ');
}
