import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { WordVectors } from './word-vectors.ts';
import { plainWordsOf, searchWords } from './words.ts';

/** A tool as the ranking sees it: the weight of each of its words, and the embedding of its name and description. */
export interface ToolFeatures {
  readonly weights: ReadonlyMap<string, number>;
  readonly vector: Float32Array | undefined;
}

export interface Field {
  readonly weight: number;
  /** Length normalization, from 0 to 1 (`b` of BM25): how much a long field reduces the weight of its words. */
  readonly lengthNorm: number;
  /** The typical length in words. It is fixed, so that a tool's features do not depend on the rest of the catalog. */
  readonly typicalLength: number;
}

/** The fields of the shared index. Examples differ between callers, so they are an overlay on it. */
export type FieldName = 'name' | 'namespace' | 'description' | 'tags' | 'parameters' | 'parameterTexts';

export const FIELDS: Readonly<Record<FieldName | 'examples', Field>> = {
  name: { weight: 3, lengthNorm: 0.3, typicalLength: 3 },
  namespace: { weight: 3, lengthNorm: 0, typicalLength: 1 },
  description: { weight: 1, lengthNorm: 0.75, typicalLength: 16 },
  tags: { weight: 1, lengthNorm: 0.5, typicalLength: 3 },
  parameters: { weight: 0.5, lengthNorm: 0.5, typicalLength: 5 },
  parameterTexts: { weight: 0.25, lengthNorm: 0.75, typicalLength: 24 },
  examples: { weight: 0.7, lengthNorm: 0.5, typicalLength: 24 },
};

const OWN_FIELDS = Object.keys(FIELDS).filter((name) => name !== 'examples') as FieldName[];

const MAX_EMBEDDED_DESCRIPTION = 400;
const MAX_FIELD_LENGTH = 4_000;

/** `fields` limits the fields that are read: the benchmark measures them one by one. */
export function featuresOf(
  contract: ToolContract,
  vectors: WordVectors | undefined,
  fields: readonly FieldName[] = OWN_FIELDS,
): ToolFeatures {
  const texts = fieldTexts(contract);
  const weights = new Map<string, number>();
  for (const name of fields) {
    const words = searchWords(plainWordsOf(texts[name].slice(0, MAX_FIELD_LENGTH)));
    const weight = weightPerWord(FIELDS[name], words.length);
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight);
  }
  return { weights, vector: vectors && vectorOf(texts, vectors) };
}

/** The weight of one occurrence of a word in a field of this length (BM25F). */
export function weightPerWord({ weight, lengthNorm, typicalLength }: Field, length: number): number {
  return weight / (1 - lengthNorm + (lengthNorm * length) / typicalLength);
}

/** The mean of two embeddings, with and without the description: a long description drifts off its subject. */
function vectorOf(
  { namespace, name, description }: Record<FieldName, string>,
  vectors: WordVectors,
): Float32Array {
  const nameWords = plainWordsOf(`${namespace} ${name}`);
  const withoutDescription = vectors.embed(nameWords);
  const withDescription = vectors.embed([
    ...nameWords,
    ...plainWordsOf(description.slice(0, MAX_EMBEDDED_DESCRIPTION)),
  ]);
  return withoutDescription.map((x, i) => (x + withDescription[i]!) / 2);
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
