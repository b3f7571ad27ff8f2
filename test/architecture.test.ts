/** The layers as a literal: which folder may import which, and what every file keeps to. */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url);

/**
 * What the files of a module may import beside their own module: modules, or single files. A module is a folder of src;
 * stores, upstreams and ingress have one for each engine or wire, and the files directly in them are a module too.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: ['base'],
  catalog: ['base', 'contract'],
  redaction: ['base', 'contract'],
  discovery: ['base', 'contract', 'catalog'],
  governance: ['base', 'contract', 'catalog'],
  results: ['base', 'contract', 'redaction'],
  lifecycle: ['base', 'contract', 'catalog', 'redaction', 'governance', 'results'],
  'stores/shared': ['base', 'contract'],
  'stores/sqlite': ['base', 'contract', 'stores/shared'],
  'stores/postgres': ['base', 'contract', 'stores/shared'],
  upstreams: ['base', 'contract'],
  'upstreams/mcp': ['base', 'contract'],
  'upstreams/native': ['base', 'contract'],
  telemetry: ['base', 'contract', 'lifecycle/events.ts'],
  ingress: ['base', 'contract'],
  'ingress/mcp': ['base', 'contract', 'catalog', 'discovery', 'lifecycle', 'results', 'ingress'],
  toolkit: ['base', 'contract'],
  app: [
    'base',
    'contract',
    'catalog',
    'redaction',
    'discovery',
    'governance',

    'results',
    'lifecycle',
    'stores/shared',
    'stores/sqlite',
    'stores/postgres',
    'upstreams',
    'upstreams/mcp',
    'upstreams/native',
    'telemetry',
    'ingress',
    'ingress/mcp',
    'toolkit',
  ],
  cli: ['base', 'app', 'contract', 'toolkit'],
  'index.ts': ['base', 'app', 'contract', 'upstreams/native'],
};
const DIVIDED = new Set(['stores', 'upstreams', 'ingress']);

const MAX_LINES = 300;
const MAX_FILES = 20;
/** A reader follows one call through this many files. */
const MAX_FILES_OF_A_CALL = 30;

const FILES: readonly string[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .sort();

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

function moduleOf(file: string): string {
  const [folder, name, ...rest] = file.split('/');
  if (name === undefined) return file;
  return DIVIDED.has(folder!) && rest.length > 0 ? `${folder}/${name}` : folder!;
}

function mayImport(from: string, to: string): boolean {
  const allowed = MAY_IMPORT[moduleOf(from)] ?? [];
  return moduleOf(from) === moduleOf(to) || allowed.includes(moduleOf(to)) || allowed.includes(to);
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly statement: string;
}

/** Every import and re-export by a relative path, static or not. */
function importsOf(file: string, text: string): Import[] {
  const statements = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(?:[^'"`;=()]*?\bfrom\s+)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/g,
  );
  return [...statements].map(([statement, fixed, dynamic]) => ({
    from: file,
    to: posix.join(posix.dirname(file), fixed ?? dynamic ?? ''),
    statement: statement.trim(),
  }));
}

const IMPORTS: readonly Import[] = FILES.flatMap((file) => importsOf(file, read(file)));

/** One cycle for each import that closes it, found by a depth-first search. */
function cyclesIn(imports: readonly Import[]): readonly string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

describe('imports', () => {
  it('come from modules that are all in the table', () => {
    expect([...new Set(FILES.map(moduleOf))].filter((name) => !(name in MAY_IMPORT))).toEqual([]);
  });

  it('are only those that the table allows', () => {
    expect(IMPORTS.length).toBeGreaterThan(200);
    const forbidden = IMPORTS.filter(({ from, to }) => !mayImport(from, to));
    expect(forbidden.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('name existing files, with their ending', () => {
    expect(IMPORTS.filter(({ to }) => !FILES.includes(to))).toEqual([]);
  });

  it('have no cycle, type-only imports included', () => {
    expect(cyclesIn(IMPORTS)).toEqual([]);
    const loop = [
      { from: 'a.ts', to: 'b.ts', statement: '' },
      { from: 'b.ts', to: 'a.ts', statement: '' },
    ];
    expect(cyclesIn(loop)).toEqual(['a.ts → b.ts → a.ts']);
  });

  it.each([
    ['discovery/browse.ts', 'governance/decide.ts'],
    ['governance/decide.ts', 'lifecycle/dependencies.ts'],
    ['results/view.ts', 'catalog/catalog.ts'],
    ['lifecycle/invoke.ts', 'discovery/browse.ts'],
    ['lifecycle/invoke.ts', 'stores/sqlite/open.ts'],
    ['stores/sqlite/open.ts', 'stores/postgres/open.ts'],
    ['stores/sqlite/open.ts', 'stores/other.ts'],
    ['upstreams/mcp/call.ts', 'upstreams/native/upstream.ts'],
    ['telemetry/call-log.ts', 'lifecycle/dependencies.ts'],
    ['ingress/mcp/http.ts', 'stores/sqlite/open.ts'],
    ['ingress/mcp/http.ts', 'ingress/http/routes.ts'],
    ['app/gateway.ts', 'cli/main.ts'],
    ['cli/call.ts', 'lifecycle/invoke.ts'],
    ['contract/tool/tool.ts', 'catalog/admit.ts'],
    ['nowhere/x.ts', 'contract/tool.ts'],
  ])('of %s may not name %s', (from, to) => {
    expect(mayImport(from, to)).toBe(false);
  });

  it('are found in every syntactic form', () => {
    const text = `
import a from '../x/a.ts';
import {
  b,
} from "../x/b.ts";
import '../x/c.ts';
export { d } from '../x/d.ts';
export type { E } from './e.ts';
const f = await import('../x/f.ts');
import type g from 'elsewhere';`;
    expect(importsOf('y/z.ts', text).map(({ to }) => to)).toEqual([
      'x/a.ts',
      'x/b.ts',
      'x/c.ts',
      'x/d.ts',
      'y/e.ts',
      'x/f.ts',
    ]);
  });

  it('of upstreams in the public entry are types only', () => {
    const upstreams = IMPORTS.filter(({ from, to }) => from === 'index.ts' && to.startsWith('upstreams/'));
    expect(upstreams.length).toBeGreaterThan(0);
    for (const { statement } of upstreams) expect(statement).toMatch(/^export type /);
  });
});

describe('the core layers', () => {
  const CORE = [
    'base',
    'redaction',
    'contract',
    'catalog',
    'discovery',
    'governance',

    'results',
    'lifecycle',
  ];
  const core = FILES.filter((file) => CORE.includes(moduleOf(file)));

  it('do no input or output', () => {
    const io =
      /from 'node:(?:fs|net|tls|dgram|dns|https?|http2|child_process|cluster|worker_threads|os|readline)\b|from '(?:pg|better-sqlite3|undici|hono|pino)\b|\bfetch\(/;
    expect(io.test("import { readFileSync } from 'node:fs';")).toBe(true);
    expect(core.filter((file) => io.test(read(file)))).toEqual([]);
  });

  it('know no wire format and no status code', () => {
    const lifecycle = FILES.filter((file) => moduleOf(file) === 'lifecycle');
    expect(lifecycle.length).toBeGreaterThan(10);
    expect(
      lifecycle.filter((file) => /json-?rpc|status code|httpStatus|modelcontextprotocol/i.test(read(file))),
    ).toEqual([]);
  });
});

describe('every file', () => {
  it(`has at most ${MAX_LINES} lines`, () => {
    expect(FILES.filter((file) => read(file).trimEnd().split('\n').length > MAX_LINES)).toEqual([]);
  });

  it('keeps invoke.ts on one page', () => {
    expect(read('lifecycle/invoke.ts').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('has a name without utils, helpers or manager', () => {
    const vague = /(^|[/-])(utils?|helpers?|manager|service|misc|common)(\.ts|\/|-|$)/;
    expect(vague.test('app/config-utils.ts')).toBe(true);
    expect(FILES.filter((file) => vague.test(file))).toEqual([]);
  });

  it('has no TODO and no export *', () => {
    expect(FILES.filter((file) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(read(file)))).toEqual([]);
    expect(FILES.filter((file) => /^\s*export \*/m.test(read(file)))).toEqual([]);
  });
});

describe('folders', () => {
  it(`hold at most ${MAX_FILES} source files`, () => {
    const crowded = [...Map.groupBy(FILES, (file) => posix.dirname(file))]
      .filter(([, files]) => files.length > MAX_FILES)
      .map(([folder, files]) => `${folder}: ${files.length}`);
    expect(crowded).toEqual([]);
  });
});

describe('phase states', () => {
  const MADE_BY: Readonly<Record<string, string>> = {
    RequestedCall: 'lifecycle/phases/request.ts',
    ValidatedCall: 'lifecycle/phases/validate.ts',
    AuthorizedCall: 'lifecycle/phases/authorize.ts',
    ExecutedCall: 'lifecycle/phases/execute.ts',
    VerifiedCall: 'lifecycle/phases/verify.ts',
  };
  const CAST = /\bas (?:unknown as )?(\w+Call)\b|<(\w+Call)>\s*\{/g;

  it('are cast only in the phase that makes them', () => {
    const casts = FILES.flatMap((file) =>
      [...read(file).matchAll(CAST)].flatMap(([, name = '']) => (name in MADE_BY ? [{ file, name }] : [])),
    );
    expect(casts.filter(({ file, name }) => MADE_BY[name] !== file)).toEqual([]);
    expect(new Set(casts.map(({ name }) => name))).toEqual(new Set(Object.keys(MADE_BY)));
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');

  it('has the import table of this test', () => {
    const rows = [...page.matchAll(/^\| `([^`|]+)` \| ((?:`[^`]+`(?:, )?)+|–) \|$/gm)].map(
      ([, name, allowed]) =>
        [name!, [...allowed!.matchAll(/`([^`]+)`/g)].map(([, other]) => other!)] as const,
    );
    expect(Object.fromEntries(rows)).toEqual(MAY_IMPORT);
  });

  it('names only files that exist in the list of one call', () => {
    const list = page.split('## One call, file by file')[1]!.split('\n## ')[0]!;
    const files = [...list.matchAll(/`(?:src\/)?((?:\w[\w-]*\/)+[\w-]+\.ts)`/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(15);
    expect(files.length).toBeLessThanOrEqual(MAX_FILES_OF_A_CALL);
    expect(files.filter((file) => !FILES.includes(file))).toEqual([]);
  });
});
