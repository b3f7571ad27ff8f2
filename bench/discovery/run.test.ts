import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Row } from './compare.ts';

const RUN = fileURLToPath(new URL('run.ts', import.meta.url));
const own = (file: string): string => fileURLToPath(new URL(`own/${file}`, import.meta.url));
const OWN = ['--catalog', own('catalog.jsonl'), '--queries', own('queries.jsonl')];
const BASELINES = ['tf-idf', 'bm25', 'bm25f', 'minisearch', 'toolgate'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolgate-discovery-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('bench:discovery', () => {
  it('prints only JSON, one row per contestant with every column', async () => {
    const { code, stdout, stderr } = await bench(['--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = JSON.parse(stdout) as Row[];
    expect(rows.map(({ contestant }) => contestant)).toEqual(BASELINES);
    for (const row of rows) {
      expect(row).toMatchObject({ set: 'own', tools: 51, queries: 51 });
      for (const share of [row.recall1, row.recall5, row.recall10, row.ndcg10, row.mrr]) {
        expect(share).toBeGreaterThan(0);
        expect(share).toBeLessThanOrEqual(1);
      }
      expect(Object.keys(row.recall5ByKind).toSorted()).toEqual(['keyword', 'paraphrase']);
      expect(row.p95Ms).toBeGreaterThanOrEqual(row.p50Ms);
      expect(row.singleClause.queries).toBeLessThanOrEqual(row.queries);
      expect(row.buildMs).toBeGreaterThan(0);
      // The index of so few tools may be smaller than the noise of the heap.
      expect(row.memoryMb).toBeGreaterThanOrEqual(0);
    }
    // The word vectors are larger than the noise.
    expect(rows.find(({ contestant }) => contestant === 'toolgate')!.memoryMb).toBeGreaterThan(1);
  });

  it('reads any pair of files and splits its queries into halves', async () => {
    const runs = await Promise.all(['train', 'dev'].map((half) => bench([...OWN, '--json', '--half', half])));
    const rows = runs.map(({ stdout }) => (JSON.parse(stdout) as Row[])[0]!);
    expect(rows.map(({ set }) => set)).toEqual(['given', 'given']);
    expect(rows[0]!.queries + rows[1]!.queries).toBe(51);
  });

  it('prints tables on standard output and progress on standard error', async () => {
    const { code, stdout, stderr } = await bench(OWN);
    expect(code).toBe(0);
    expect(stdout).toContain(`| set | tools | queries | ${BASELINES.join(' | ')} |`);
    expect(stderr).toContain('given: toolgate\n');
  });

  it('reports relevant tools that are not in the catalog', async () => {
    const queries = join(folder, 'unknown-tool.jsonl');
    writeFileSync(
      queries,
      `${readFileSync(own('queries.jsonl'), 'utf8')}{"query":"x","relevant":["nothing"]}\n`,
    );
    const { code, stdout, stderr } = await bench([...OWN.slice(0, 3), queries, '--json']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'given: 1 relevant tools are not in the catalog; 1 queries have no other relevant tool and are skipped\n',
    );
    expect((JSON.parse(stdout) as Row[])[0]!.queries).toBe(51);
  });

  it('adds the encoder where its vectors are given', async () => {
    writeVectors(join(folder, 'given.vectors'));
    const { code, stdout } = await bench([...OWN, '--encoder', folder, '--json']);
    expect(code).toBe(0);
    const rows = JSON.parse(stdout) as Row[];
    expect(rows.map(({ contestant }) => contestant)).toEqual([...BASELINES, 'minilm', 'minilm + bm25f']);
    const encoder = rows.find(({ contestant }) => contestant === 'minilm')!;
    expect(encoder).toMatchObject({ recall1: 1, mrr: 1, beforehand: { toolsMs: 1_500, queryMs: 2.5 } });
  });

  it('prints its options with --help', async () => {
    const { code, stdout } = await bench(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Examples:');
  });

  it('exits with 2 and an error for an invalid option', async () => {
    const { code, stdout, stderr } = await bench(['--data', '/nowhere/at/all']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe('/nowhere/at/all: no such folder\nRun with `--help` for the options.\n');
  });
});

/** Vectors of a perfect encoder, in the layout of encode.py: each query has the vector of its first relevant tool. */
function writeVectors(file: string): void {
  const linesOf = (path: string) =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const names = linesOf(own('catalog.jsonl')).map(({ name }) => name as string);
  const queries = linesOf(own('queries.jsonl')) as { query: string; relevant: string[] }[];
  const dims = 52;
  const unit = (index: number): number[] => Array.from({ length: dims }, (_, i) => (i === index ? 1 : 0));
  const rows = [...names.keys(), ...queries.map(({ relevant }) => names.indexOf(relevant[0]!))].map(unit);
  const header = Buffer.alloc(24);
  for (const [index, number] of [0x4c4d4756, dims, names.length, queries.length].entries())
    header.writeUInt32LE(number, 4 * index);
  header.writeFloatLE(1_500, 16);
  header.writeFloatLE(2.5, 20);
  const sha256 = (content: string | Buffer): Buffer => createHash('sha256').update(content).digest();
  writeFileSync(
    file,
    Buffer.concat([
      header,
      sha256(readFileSync(own('catalog.jsonl'))),
      ...queries.map(({ query }) => sha256(query).subarray(0, 8)),
      Buffer.from(Float32Array.from(rows.flat()).buffer),
    ]),
  );
}

function bench(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', RUN, ...args],
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
      },
    );
  });
}
