import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storm } from '../fault/crash/storm.ts';
import { isSound, type KeyOutcome, tallyLine, tallyOf } from '../fault/crash/tally.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';

const KILLS = 2;
const PATIENCE_MS = 180_000;

describe('a gateway that is killed under load', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, PATIENCE_MS);
  afterAll(() => postgres?.stop());

  it('has one effect a key or says that nobody can know, on SQLite', { timeout: PATIENCE_MS }, async () => {
    const tally = await storm({ kills: KILLS, nodes: 1, store: { sqlite: 'toolgate.sqlite' } });
    expect(tally).toMatchObject({ kills: KILLS, doubled: 0, false: 0 });
    expect(isSound(tally)).toBe(true);
    expect(tally.keys).toBeGreaterThan(tally.unknown);
  });

  it('and on PostgreSQL with two nodes', { timeout: PATIENCE_MS }, async () => {
    const store = { postgres: await postgres.createDatabase() };
    const tally = await storm({ kills: KILLS, nodes: 2, store });
    expect(tally).toMatchObject({ kills: KILLS, doubled: 0, false: 0 });
    expect(isSound(tally)).toBe(true);
    expect(tally.keys).toBeGreaterThan(tally.unknown);
  });
});

it('counts what was told against what happened', () => {
  const outcomes: KeyOutcome[] = [
    { effects: 1, told: ['success'] },
    { effects: 2, told: ['success', 'success'] },
    { effects: 0, told: ['success'] },
    { effects: 1, told: ['failure'] },
    { effects: 0, told: ['failure'] },
    { effects: 1, told: ['unknown', 'success'] },
    { effects: 0, told: ['unknown'] },
  ];
  const tally = tallyOf(3, outcomes, 36);
  expect(tallyLine(tally)).toBe('kills 3, keys 7, doubled 1, false 2, unknown 2');
  expect(isSound(tally)).toBe(false);
});

it.each([
  ['one effect a key', [{ effects: 1, told: ['success'] }], true],
  ['as much unknown as kills explain', [{ effects: 0, told: ['unknown'] }], true],
  ['a second effect', [{ effects: 2, told: ['success'] }], false],
  ['a false success', [{ effects: 0, told: ['success'] }], false],
  [
    'more unknown than kills explain',
    [
      { effects: 1, told: ['unknown'] },
      { effects: 1, told: ['unknown'] },
    ],
    false,
  ],
] satisfies [string, KeyOutcome[], boolean][])('finds %s sound or not', (_, outcomes, sound) => {
  expect(isSound(tallyOf(1, outcomes, 1))).toBe(sound);
});
