/** `npm run bench:idempotency`: how many keys a second are claimed, intended and sealed, on both stores side by side. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Stores } from '../../src/contract/ports/stores.ts';
import { openPostgresStores } from '../../src/stores/postgres/open.ts';
import { openSqliteStores } from '../../src/stores/sqlite/open.ts';
import { sampleReceipt } from '../../src/toolkit/store-suite.ts';
import { startPostgres } from '../../test/embedded-postgres.ts';

const HELP = `npm run bench:idempotency -- [options]

  --keys N     keys a round (default 2000)
  --json       JSON on standard output, and nothing else there

Examples:
  npm run bench:idempotency
  npm run bench:idempotency -- --keys 500 --json
`;

interface Round {
  readonly store: string;
  readonly inFlight: number;
  readonly keysPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The same key asked for again, answered with its result. */
  readonly replaysPerSecond: number;
}

const IN_FLIGHT = [1, 16, 64];
const HOUR_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '2000' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const keys = Number(values.keys);
if (values.help) process.stdout.write(HELP);
else if (!Number.isInteger(keys) || keys < 1) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const postgres = await startPostgres();
  try {
    const sqlite = await openSqliteStores({ file: join(folder, 'x.sqlite') });
    const shared = await openPostgresStores({ url: await postgres.createDatabase() });
    const rounds: Round[] = [];
    for (const inFlight of IN_FLIGHT) {
      rounds.push(await measure('sqlite', sqlite, inFlight));
      rounds.push(await measure('postgres', shared, inFlight));
    }
    await sqlite.close();
    await shared.close();
    process.stdout.write(values.json ? `${JSON.stringify(rounds, null, 2)}\n` : tableOf(rounds));
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(store: string, stores: Stores, inFlight: number): Promise<Round> {
  const took: number[] = [];
  const claimed = await rate(inFlight, async (scope) => {
    const began = performance.now();
    await holdOnce(stores, scope);
    took.push(performance.now() - began);
  });
  const replayed = await rate(inFlight, (scope) => holdOnce(stores, scope));
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0;
  return {
    store,
    inFlight,
    keysPerSecond: claimed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    replaysPerSecond: replayed,
  };

  async function rate(workers: number, act: (scope: string) => Promise<void>): Promise<number> {
    let next = 0;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: workers }, async () => {
        for (let key = next++; key < keys; key = next++) await act(`${store}-${inFlight}-${key}`);
      }),
    );
    return Math.round((keys * 1_000) / (performance.now() - began));
  }
}

/** What a keyed call does to the store, without the call. */
async function holdOnce({ idempotency }: Stores, scope: string): Promise<void> {
  const callId = `${scope}-${Math.random()}`;
  const crashReceipt = sampleReceipt({ callId, status: 'unknown' });
  const held = await idempotency.claim({ scope, callId, inputHash: 'h', windowMs: HOUR_MS, crashReceipt });
  if (held.state !== 'acquired') return;
  await idempotency.recordIntent(scope, callId);
  await idempotency.complete(scope, callId, '{"content":[{"type":"text","text":"done"}]}');
}

function tableOf(rounds: readonly Round[]): string {
  const head = '| store | in flight | keys/s | p50 ms | p99 ms | replays/s |\n|---|--:|--:|--:|--:|--:|\n';
  const rows = rounds.map(
    ({ store, inFlight, keysPerSecond, p50Ms, p99Ms, replaysPerSecond }) =>
      `| ${store} | ${inFlight} | ${keysPerSecond} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${replaysPerSecond} |`,
  );
  return `${head}${rows.join('\n')}\n`;
}
