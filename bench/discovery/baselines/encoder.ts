import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolContract } from '../../../src/contract/tool/tool.ts';
import type { Beforehand, Contestant, Search } from '../contestant.ts';
import { lexicalScores } from '../contestants.ts';
import type { QuerySet } from '../data.ts';
import { InputError } from '../input-error.ts';
import { bestOf } from './best-scores.ts';

/** The vectors of a set from a sentence encoder, written by `encode.py`. */
interface SetVectors {
  readonly dims: number;
  readonly beforehand: Beforehand;
  /** A copy, so that the memory of an index includes it. */
  tools(): Float32Array;
  query(text: string): Float32Array;
}

/** The best of `FUSION_WEIGHTS` by mean recall@5 on the train half; the same for all sets. */
const FUSION_WEIGHT = 3;
const FUSION_WEIGHTS = [0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 6];

export function encoderContestants(folder: string, set: QuerySet): readonly Contestant[] {
  const vectors = readVectors(folder, set);
  const { beforehand } = vectors;
  return [
    { name: 'minilm', build: () => rankByCosine(vectors), beforehand },
    { name: 'minilm + bm25f', build: (tools) => fuse(tools, vectors, FUSION_WEIGHT), beforehand },
  ];
}

/** The fusion with several weights, to choose one. */
export function fusionContestants(folder: string, set: QuerySet): readonly Contestant[] {
  const vectors = readVectors(folder, set);
  return FUSION_WEIGHTS.map((weight) => ({
    name: `bm25f + ${weight} × minilm`,
    build: (tools) => fuse(tools, vectors, weight),
  }));
}

function rankByCosine(vectors: SetVectors): Search {
  const cosines = cosineScores(vectors);
  return (query, limit) => bestOf(cosines(query), limit);
}

/** Ranks by the sum of the BM25F score, scaled so that the best is 1, and the weighted cosine. */
function fuse(tools: readonly ToolContract[], vectors: SetVectors, weight: number): Search {
  const lexical = lexicalScores(tools);
  const cosines = cosineScores(vectors);
  return (query, limit) => {
    const scores = lexical(query);
    let best = 0;
    for (const score of scores) if (score > best) best = score;
    const similarities = cosines(query);
    for (let tool = 0; tool < scores.length; tool++)
      scores[tool] = scores[tool]! / (best || 1) + weight * similarities[tool]!;
    return bestOf(scores, limit);
  };
}

function cosineScores(vectors: SetVectors): (query: string) => Float32Array {
  const { dims } = vectors;
  const rows = vectors.tools();
  return (text) => {
    const query = vectors.query(text);
    const cosines = new Float32Array(rows.length / dims);
    for (let tool = 0, offset = 0; tool < cosines.length; tool++) {
      // Four independent sums: each addition to a single one would wait for the previous.
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let i = 0; i < dims; i += LANES, offset += LANES) {
        a += query[i]! * rows[offset]!;
        b += query[i + 1]! * rows[offset + 1]!;
        c += query[i + 2]! * rows[offset + 2]!;
        d += query[i + 3]! * rows[offset + 3]!;
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
  const file = readBytes(path);
  const header = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < KEYS_AT || header.getUint32(0, true) !== MAGIC || header.getUint32(4, true) % LANES !== 0)
    throw new InputError(`${path}: not a vectors file of encode.py`);
  const [dims, tools, queries] = [4, 8, 12].map((at) => header.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  if (!file.subarray(DIGEST_AT, KEYS_AT).equals(sha256(readFileSync(catalogFile))))
    throw new InputError(`${path}: the catalog ${catalogFile} has changed since; run encode.py again`);
  const vectorsAt = KEYS_AT + KEY_BYTES * queries;
  const rowOfQuery = new Map<string, number>();
  for (let query = 0; query < queries; query++) {
    const at = KEYS_AT + KEY_BYTES * query;
    rowOfQuery.set(file.toString('hex', at, at + KEY_BYTES), tools + query);
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
      const row = rowOfQuery.get(sha256(text).toString('hex', 0, KEY_BYTES));
      if (row === undefined)
        throw new InputError(`${path}: no vector for the query "${text}"; run encode.py again`);
      return rows(row, 1);
    },
  };
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new InputError(`${path}: cannot be read; create it with bench/discovery/encode.py`);
  }
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
