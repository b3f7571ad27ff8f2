import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { halfOf, readSet, readSets } from './data.ts';
import { InputError } from './input-error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolgate-sets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TOOLS = '{"name":"mail__send","server":"mail","description":"Sends."}\n{"name":"add"}\n';
const QUERIES = '{"query":"write to Anna","relevant":["mail__send"],"kind":"paraphrase"}\n';

function set(catalog: string, queries: string) {
  const [catalogFile, queriesFile] = [join(folder, 'catalog.jsonl'), join(folder, 'queries.jsonl')];
  writeFileSync(catalogFile, catalog);
  writeFileSync(queriesFile, queries);
  return readSet('some', catalogFile, queriesFile);
}

describe('readSet', () => {
  it('reads contracts and labelled queries', () => {
    const { tools, names, queries, missing } = set(`${TOOLS}\n\n`, QUERIES.replace('\n', '\r\n'));
    expect(names).toEqual(['mail__send', 'add']);
    expect(tools.map(({ id, namespace, name }) => ({ id, namespace, name }))).toEqual([
      { id: 'mail__send', namespace: 'mail', name: 'send' },
      { id: 'add', namespace: '', name: 'add' },
    ]);
    expect(queries).toEqual([
      { query: 'write to Anna', kind: 'paraphrase', relevant: new Set(['mail__send']) },
    ]);
    expect(missing).toEqual({ tools: 0, queries: 0 });
  });

  it('accepts null for an absent field', () => {
    const { tools } = set(
      '{"name":"add","server":null,"description":null,"inputSchema":null}',
      '{"query":"sum","relevant":["add"],"kind":null}',
    );
    expect(tools[0]).toMatchObject({ namespace: '', name: 'add', description: '' });
  });

  it('counts relevant tools that are not in the catalog, and skips queries that have no other', () => {
    const { queries, missing } = set(
      TOOLS,
      `${QUERIES}{"query":"b","relevant":["gone","add"]}\n{"query":"c","relevant":["gone","away"]}\n`,
    );
    expect(queries.map(({ query }) => query)).toEqual(['write to Anna', 'b']);
    expect(missing).toEqual({ tools: 2, queries: 1 });
  });

  it.each([
    ['a line that is not JSON', `${TOOLS}{"name":\n`, QUERIES, 'catalog.jsonl:3: not JSON'],
    ['a tool without a name', `\n{"description":"x"}\n`, QUERIES, 'catalog.jsonl:2: name:'],
    ['a line that is no object', '[]\n', QUERIES, 'catalog.jsonl:1: '],
    ['a name that is no text', '{"name":7}\n', QUERIES, 'catalog.jsonl:1: name:'],
    [
      'two tools of one name',
      `${TOOLS}{"name":"add"}\n`,
      QUERIES,
      'catalog.jsonl:3: the tool "add" is also at',
    ],
    ['a query without relevant', TOOLS, '{"query":"a"}\n', 'queries.jsonl:1: relevant:'],
    [
      'an empty relevant',
      TOOLS,
      `${QUERIES}{"query":"a","relevant":[]}`,
      'queries.jsonl:2: relevant: a query needs',
    ],
    ['an empty catalog', '\n', QUERIES, 'catalog.jsonl: no tools'],
    ['no queries', TOOLS, '', 'queries.jsonl: no queries'],
  ])('refuses %s and names the file and line', (_, catalog, queries, message) => {
    expect(() => set(catalog, queries)).toThrow(InputError);
    expect(() => set(catalog, queries)).toThrow(message);
  });

  it('refuses a missing file', () => {
    expect(() => readSet('some', join(folder, 'none.jsonl'), join(folder, 'none.jsonl'))).toThrow(
      'none.jsonl: cannot be read (ENOENT)',
    );
  });
});

describe('readSets', () => {
  it('reads each subfolder that has a catalog, in the order of names', () => {
    for (const name of ['b', 'a', 'notes']) mkdirSync(join(folder, name));
    for (const name of ['b', 'a']) {
      writeFileSync(join(folder, name, 'catalog.jsonl'), TOOLS);
      writeFileSync(join(folder, name, 'queries.jsonl'), QUERIES);
    }
    expect(readSets(folder).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('refuses a missing folder and a folder without sets', () => {
    expect(() => readSets(join(folder, 'none'))).toThrow('no such folder');
    expect(() => readSets(folder)).toThrow('no subfolder has a catalog.jsonl');
  });
});

describe('halfOf', () => {
  const queries = Array.from({ length: 40 }, (_, i) => JSON.stringify({ query: `q${i}`, relevant: ['add'] }));

  it('puts every query into exactly one half', () => {
    const whole = set(TOOLS, queries.join('\n'));
    const found = (['train', 'dev'] as const).flatMap((half) =>
      halfOf(whole, half).queries.map(({ query }) => query),
    );
    expect(found.toSorted()).toEqual(whole.queries.map(({ query }) => query).toSorted());
  });

  it('takes queries whose SHA-256 has an odd first byte into the dev half', () => {
    // 34…, c7…, be…, 58…
    const whole = set(TOOLS, queries.slice(0, 4).join('\n'));
    expect(halfOf(whole, 'dev').queries.map(({ query }) => query)).toEqual(['q1']);
    expect(halfOf(whole, 'train').queries.map(({ query }) => query)).toEqual(['q0', 'q2', 'q3']);
  });

  it('refuses an empty half', () => {
    expect(() => halfOf(set(TOOLS, queries[0]!), 'dev')).toThrow('no query is in the dev half');
  });
});
