/** The house, floor by floor: which room may use which, as a literal. */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url);

/**
 * What the files of a room may import beside their own room: rooms, or single files. A room is a folder of src; stores,
 * upstreams and ingress have a room for each engine or wire, and the files that lie directly in them are a room too.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: ['base'],
  catalog: ['base', 'contract'],
  redaction: ['base', 'contract'],
  discovery: ['base', 'contract', 'catalog'],
  governance: ['base', 'contract', 'catalog'],
  audit: ['base', 'contract'],
  results: ['base', 'contract', 'redaction'],
  lifecycle: ['base', 'contract', 'catalog', 'redaction', 'governance', 'audit', 'results'],
  'stores/shared': ['base', 'contract', 'audit'],
  'stores/sqlite': ['base', 'contract', 'audit', 'stores/shared'],
  'stores/postgres': ['base', 'contract', 'audit', 'stores/shared'],
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
    'audit',
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

const FILES: readonly string[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .sort();

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

function roomOf(file: string): string {
  const [folder, room, ...rest] = file.split('/');
  if (room === undefined) return file;
  return DIVIDED.has(folder!) && rest.length > 0 ? `${folder}/${room}` : folder!;
}

function mayImport(from: string, to: string): boolean {
  const allowed = MAY_IMPORT[roomOf(from)] ?? [];
  return roomOf(from) === roomOf(to) || allowed.includes(roomOf(to)) || allowed.includes(to);
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly statement: string;
}

/** Every import and re-export by a relative path, static or not. */
function arrowsFrom(file: string, text: string): Arrow[] {
  const statements = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(?:[^'"`;=()]*?\bfrom\s+)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/g,
  );
  return [...statements].map(([statement, fixed, dynamic]) => ({
    from: file,
    to: posix.join(posix.dirname(file), fixed ?? dynamic ?? ''),
    statement: statement.trim(),
  }));
}

const ARROWS: readonly Arrow[] = FILES.flatMap((file) => arrowsFrom(file, read(file)));

describe('the rooms', () => {
  it('are all in the table', () => {
    expect([...new Set(FILES.map(roomOf))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  it('use only what the table lets them use', () => {
    expect(ARROWS.length).toBeGreaterThan(200);
    const forbidden = ARROWS.filter(({ from, to }) => !mayImport(from, to));
    expect(forbidden.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('name files that are there, with their ending', () => {
    expect(ARROWS.filter(({ to }) => !FILES.includes(to))).toEqual([]);
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
  ])('would refuse %s → %s', (from, to) => {
    expect(mayImport(from, to)).toBe(false);
  });

  it('are seen through every form of import', () => {
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
    expect(arrowsFrom('y/z.ts', text).map(({ to }) => to)).toEqual([
      'x/a.ts',
      'x/b.ts',
      'x/c.ts',
      'x/d.ts',
      'y/e.ts',
      'x/f.ts',
    ]);
  });

  it('keep their work out of the public entry: of upstreams it has types alone', () => {
    const upstreams = ARROWS.filter(({ from, to }) => from === 'index.ts' && to.startsWith('upstreams/'));
    expect(upstreams.length).toBeGreaterThan(0);
    for (const { statement } of upstreams) expect(statement).toMatch(/^export type /);
  });
});

describe('the core', () => {
  const CORE = [
    'base',
    'redaction',
    'contract',
    'catalog',
    'discovery',
    'governance',
    'audit',
    'results',
    'lifecycle',
  ];
  const core = FILES.filter((file) => CORE.includes(roomOf(file)));

  it('does no input or output of its own', () => {
    const io =
      /from 'node:(?:fs|net|tls|dgram|dns|https?|http2|child_process|cluster|worker_threads|os|readline)\b|from '(?:pg|better-sqlite3|undici|hono|pino)\b|\bfetch\(/;
    expect(io.test("import { readFileSync } from 'node:fs';")).toBe(true);
    expect(core.filter((file) => io.test(read(file)))).toEqual([]);
  });

  it('knows no wire: a call has neither a message format nor a status', () => {
    const lifecycle = FILES.filter((file) => roomOf(file) === 'lifecycle');
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

  it('keeps the road of a call on one page', () => {
    expect(read('lifecycle/invoke.ts').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('has a name that says what it is', () => {
    const nameless = /(^|[/-])(utils?|helpers?|manager|service|misc|common)(\.ts|\/|-|$)/;
    expect(nameless.test('app/config-utils.ts')).toBe(true);
    expect(FILES.filter((file) => nameless.test(file))).toEqual([]);
  });

  it('is finished, and lists what it gives out by hand', () => {
    expect(FILES.filter((file) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(read(file)))).toEqual([]);
    expect(FILES.filter((file) => /^\s*export \*/m.test(read(file)))).toEqual([]);
  });
});
