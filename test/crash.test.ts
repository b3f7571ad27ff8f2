import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killUnderLoad } from '../fault/crash/kill-under-load.ts';
import { createReport, formatReport, isCorrect, type KeyOutcome } from '../fault/crash/report.ts';
import { startPostgres, type TestPostgres } from './embedded-postgres.ts';

const KILLS = 2;
const TEST_TIMEOUT_MS = 180_000;

describe('killing a gateway under load', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, TEST_TIMEOUT_MS);
  afterAll(() => postgres?.stop());

  it('leaves one effect for each key, or an unknown outcome, on SQLite', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const report = await killUnderLoad({ kills: KILLS, nodes: 1, store: { sqlite: 'toolgate.sqlite' } });
    expect(report).toMatchObject({ kills: KILLS, doubled: 0, false: 0, stuck: 0 });
    expect(isCorrect(report)).toBe(true);
    expect(report.keys).toBeGreaterThan(report.unknown);
  });

  it('leaves one effect for each key, or an unknown outcome, on PostgreSQL with two nodes', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const store = { postgres: await postgres.createDatabase() };
    const report = await killUnderLoad({ kills: KILLS, nodes: 2, store });
    expect(report).toMatchObject({ kills: KILLS, doubled: 0, false: 0, stuck: 0 });
    expect(isCorrect(report)).toBe(true);
    expect(report.keys).toBeGreaterThan(report.unknown);
  });
});

it('createReport compares the answers with the effects', () => {
  const outcomes: KeyOutcome[] = [
    { effects: 1, answers: ['success'] },
    { effects: 2, answers: ['success', 'success'] },
    { effects: 0, answers: ['success'] },
    { effects: 1, answers: ['failure'] },
    { effects: 0, answers: ['failure'] },
    { effects: 1, answers: ['unknown', 'success'] },
    { effects: 0, answers: ['unknown'] },
    { effects: 0, answers: ['stuck'] },
  ];
  const report = createReport(outcomes, { kills: 3, maxUnknown: 36 });
  expect(formatReport(report)).toBe('kills 3, keys 8, doubled 1, false 2, stuck 1, unknown 2');
  expect(isCorrect(report)).toBe(false);
});

it.each([
  ['one effect for a key', [{ effects: 1, answers: ['success'] }], true],
  ['as many unknown outcomes as the kills explain', [{ effects: 0, answers: ['unknown'] }], true],
  ['a second effect', [{ effects: 2, answers: ['success'] }], false],
  ['a false success', [{ effects: 0, answers: ['success'] }], false],
  ['a client that never got an answer', [{ effects: 1, answers: ['stuck'] }], false],
  [
    'more unknown outcomes than the kills explain',
    [
      { effects: 1, answers: ['unknown'] },
      { effects: 1, answers: ['unknown'] },
    ],
    false,
  ],
] satisfies [string, KeyOutcome[], boolean][])('isCorrect judges %s', (_, outcomes, correct) => {
  expect(isCorrect(createReport(outcomes, { kills: 1, maxUnknown: 1 }))).toBe(correct);
});
