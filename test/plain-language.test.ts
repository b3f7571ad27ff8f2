/** Names and messages use the field's words: `docs/` and CONTRIBUTING.md explain why. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../src/', import.meta.url);

/** Metaphors that once stood for a term of the field. The right-hand side is what to write instead. */
const METAPHORS: Readonly<Record<string, string>> = {
  house: 'gateway API',
  room: 'budget, slot, layer',
  rooms: 'budgets, slots, layers',
  floor: 'layer, minimum',
  road: 'path',
  door: 'route',
  doors: 'routes',
  desk: 'context',
  shelf: 'context',
  drawer: 'group',
  drawers: 'groups',
  hands: 'owner',
  company: 'arrival rate',
  errand: 'internal call',
  journey: 'call record',
  arrival: 'call request',
  rehearsal: 'dry run',
  toll: 'metering',
  ledger: 'breakdown',
  patience: 'timeout',
  told: 'reported, returned, described',
  tell: 'report, describe',
  tells: 'reports, describes',
  heard: 'received',
  hear: 'receive, listen',
  said: 'sent, stated',
  says: 'states, reports',
  saying: 'body',
  nobody: 'no caller, no process',
  whoever: 'a caller',
  world: 'target system',
};

/** Words that are right where they stand: another party's name, or a plain meaning. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  openWorld: ['world'],
  openWorldHint: ['world'],
  ArrivalRate: ['arrival'],
  /** `Math.floor`. */
  floor: ['floor'],
};

/** Files whose texts are words of users' requests, which the ranking recognizes. */
const VOCABULARY: readonly string[] = ['discovery/ranking/clauses.ts', 'discovery/ranking/lexicon.ts'];

/** Migrations name columns of earlier schemas, and an applied migration is never edited. */
const MIGRATIONS: readonly string[] = ['stores/postgres/migrations.ts', 'stores/sqlite/migrations.ts'];

const FILES: readonly string[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .sort();

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|(?<name>[A-Za-z_$][\w$]*)/g;

/** Every name and every text of a file; comments are left to reviews. */
function tokensOf(source: string): { readonly names: readonly string[]; readonly texts: readonly string[] } {
  const names = new Set<string>();
  const texts = new Set<string>();
  for (const { groups } of source
    .replaceAll(/^(?:import|export)[^;]*? from '[^']*';/gms, '')
    .matchAll(TOKEN)) {
    if (groups!.name !== undefined) names.add(groups!.name);
    if (groups!.text !== undefined) texts.add(groups!.text);
  }
  return { names: [...names], texts: [...texts] };
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

function metaphorsIn(name: string): readonly string[] {
  return wordsOf(name).filter(
    (word) =>
      Object.hasOwn(METAPHORS, word) && !(Object.hasOwn(ALLOWED, name) && ALLOWED[name]!.includes(word)),
  );
}

function offences(
  pick: (source: string) => readonly string[],
  files: readonly string[] = FILES,
): readonly string[] {
  return files.flatMap((file) =>
    pick(readFileSync(new URL(file, ROOT), 'utf8')).flatMap((token) =>
      metaphorsIn(token).map((word) => `${file}: ${token.slice(0, 80)} (${word} → ${METAPHORS[word]})`),
    ),
  );
}

describe('plain language', () => {
  it('finds metaphors in names and in texts, and not in comments', () => {
    const { names, texts } = tokensOf("// the house\nconst openDoor = 'nobody';");
    expect([...names, ...texts].flatMap(metaphorsIn)).toEqual(['door', 'nobody']);
  });

  it('uses no metaphor in a name', () => {
    expect(offences((source) => tokensOf(source).names)).toEqual([]);
  });

  it('uses no metaphor in a message', () => {
    const files = FILES.filter((file) => !VOCABULARY.includes(file) && !MIGRATIONS.includes(file));
    expect(offences((source) => tokensOf(source).texts, files)).toEqual([]);
  });
});
