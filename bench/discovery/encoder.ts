import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolContract } from '../../src/contract/tool/tool.ts';
import { bestOf } from './best-scores.ts';
import { type Beforehand, type Contestant, lexicalScores, type Search } from './contestants.ts';
import type { QuerySet } from './data.ts';
import { InputError } from './input-error.ts';

/** What a sentence encoder made of a set, written by `encode.py`. */
interface SetVectors {
  readonly dims: number;
  readonly beforehand: Beforehand;
  /** A copy, so that an index pays for what it holds. */
  tools(): Float32Array;
  query(text: string): Float32Array;
}

/** Chosen on the train half by mean recall@5, out of `FUSION_WEIGHTS`; the same for all sets. */
const FUSION_WEIGHT = 3;
const FUSION_WEIGHTS = [0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 6];

export function encoderContestants(folder: string, set: QuerySet): readonly Contestant[] {
  const vectors = readVectors(folder, set);
  const { beforehand } = vectors;
  return [
    { name: 'minilm', build: () => nearest(vectors), beforehand },
    { name: 'minilm + bm25f', build: (tools) => fused(tools, vectors, FUSION_WEIGHT), beforehand },
  ];
}

/** The fusion at several weights, to choose one. */
export function fusionContestants(folder: string, set: QuerySet): readonly Contestant[] {
  const vectors = readVectors(folder, set);
  return FUSION_WEIGHTS.map((weight) => ({
    name: `bm25f + ${weight} × minilm`,
    build: (tools) => fused(tools, vectors, weight),
  }));
}

function nearest(vectors: SetVectors): Search {
  const cosines = cosinesIn(vectors);
  return (query, limit) => bestOf(cosines(query), limit);
}

/** A sum of scores, each in its own measure: the best of BM25F counts 1, the best cosine 1 times the weight. */
function fused(tools: readonly ToolContract[], vectors: SetVectors, weight: number): Search {
  const lexical = lexicalScores(tools);
  const cosines = cosinesIn(vectors);
  return (query, limit) => {
    const scores = lexical(query);
    let strongest = 0;
    for (const score of scores) if (score > strongest) strongest = score;
    const similar = cosines(query);
    for (let tool = 0; tool < scores.length; tool++)
      scores[tool] = scores[tool]! / (strongest || 1) + weight * similar[tool]!;
    return bestOf(scores, limit);
  };
}

function cosinesIn(vectors: SetVectors): (query: string) => Float32Array {
  const { dims } = vectors;
  const rows = vectors.tools();
  return (text) => {
    const query = vectors.query(text);
    const cosines = new Float32Array(rows.length / dims);
    for (let tool = 0, at = 0; tool < cosines.length; tool++) {
      // Several sums at a time: a chain of one would wait for itself.
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let i = 0; i < dims; i += LANES, at += LANES) {
        a += query[i]! * rows[at]!;
        b += query[i + 1]! * rows[at + 1]!;
        c += query[i + 2]! * rows[at + 2]!;
        d += query[i + 3]! * rows[at + 3]!;
      }
      cosines[tool] = a + b + c + d;
    }
    return cosines;
  };
}

const LANES = 4;
const MAGIC = 0x4c4d4756;
const DIGEST_AT = 24;
const KEYS_AT = DIGEST_AT + 32;
const KEY_BYTES = 8;

/** Reads the layout that `encode.py` describes. */
function readVectors(folder: string, { name, catalogFile }: QuerySet): SetVectors {
  const path = join(folder, `${name}.vectors`);
  const file = bytesOf(path);
  const header = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < KEYS_AT || header.getUint32(0, true) !== MAGIC || header.getUint32(4, true) % LANES !== 0)
    throw new InputError(`${path}: not a file of encode.py`);
  const [dims, tools, queries] = [4, 8, 12].map((at) => header.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  if (!file.subarray(DIGEST_AT, KEYS_AT).equals(sha256(readFileSync(catalogFile))))
    throw new InputError(`${path}: made for another catalog than ${catalogFile}; run encode.py again`);
  const vectorsAt = KEYS_AT + KEY_BYTES * queries;
  const places = new Map<string, number>();
  for (let query = 0; query < queries; query++) {
    const at = KEYS_AT + KEY_BYTES * query;
    places.set(file.toString('hex', at, at + KEY_BYTES), tools + query);
  }
  const rows = (first: number, count: number): Float32Array => {
    const at = vectorsAt + 4 * dims * first;
    return new Float32Array(new Uint8Array(file.subarray(at, at + 4 * dims * count)).buffer);
  };
  return {
    dims,
    beforehand: { toolsMs: header.getFloat32(16, true), queryMs: header.getFloat32(20, true) },
    tools: () => rows(0, tools),
    query: (text) => {
      const place = places.get(sha256(text).toString('hex', 0, KEY_BYTES));
      if (place === undefined)
        throw new InputError(`${path}: lacks the query "${text}"; run encode.py again`);
      return rows(place, 1);
    },
  };
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new InputError(`${path}: cannot be read; bench/discovery/encode.py writes it`);
  }
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
