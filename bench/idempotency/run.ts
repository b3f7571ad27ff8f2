/** `npm run bench:idempotency`: how many keys are claimed and completed per second, on both stores. */
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

  --keys N     keys per round (default 2000)
  --json       print JSON only

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
  /** Claims of completed keys, which return the stored result. */
  readonly replaysPerSecond: number;
}

const IN_FLIGHT = [1, 16, 64];
const HOUR_MS = 3_600_000;
/** The receipt of a call in flight has no output, and usually the arguments are sent as received. */
const IN_FLIGHT_FIELDS = {
  status: 'unknown',
  errorCode: null,
  source: null,
  outputSummary: null,
  approvalId: null,
  sentHash: sampleReceipt({ callId: '' }).inputHash,
} as const;

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
    const stores: Readonly<Record<string, Stores>> = {
      sqlite: await openSqliteStores({ file: join(folder, 'synced.sqlite') }),
      'sqlite, syncIntents: false': await openSqliteStores({
        file: join(folder, 'unsynced.sqlite'),
        syncIntents: false,
      }),
      postgres: await openPostgresStores({ url: await postgres.createDatabase() }),
    };
    const rounds: Round[] = [];
    for (const inFlight of IN_FLIGHT) {
      for (const [name, engine] of Object.entries(stores)) rounds.push(await measure(name, engine, inFlight));
    }
    await Promise.all(Object.values(stores).map((engine) => engine.close()));
    process.stdout.write(values.json ? `${JSON.stringify(rounds, null, 2)}\n` : formatTable(rounds));
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(store: string, stores: Stores, inFlight: number): Promise<Round> {
  const durations: number[] = [];
  const keysPerSecond = await rate(inFlight, async (scope) => {
    const start = performance.now();
    await claimAndComplete(stores, scope);
    durations.push(performance.now() - start);
  });
  const replaysPerSecond = await rate(inFlight, (scope) => claimAndComplete(stores, scope));
  durations.sort((a, b) => a - b);
  const percentile = (share: number): number => durations[Math.floor(durations.length * share)] ?? 0;
  return {
    store,
    inFlight,
    keysPerSecond,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    replaysPerSecond,
  };

  async function rate(workers: number, act: (scope: string) => Promise<void>): Promise<number> {
    let next = 0;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: workers }, async () => {
        for (let key = next++; key < keys; key = next++) await act(`${store}-${inFlight}-${key}`);
      }),
    );
    return Math.round((keys * 1_000) / (performance.now() - start));
  }
}

/** The writes of a keyed call, without the call. */
async function claimAndComplete({ idempotency }: Stores, scope: string): Promise<void> {
  const callId = `${scope}-${Math.random()}`;
  const crashReceipt = sampleReceipt({ callId, ...IN_FLIGHT_FIELDS });
  const claim = await idempotency.claim({ scope, callId, inputHash: 'h', windowMs: HOUR_MS, crashReceipt });
  if (claim.state !== 'acquired') return;
  await idempotency.recordIntent(scope, callId);
  await idempotency.complete(scope, callId, '{"content":[{"type":"text","text":"done"}]}');
}

function formatTable(rounds: readonly Round[]): string {
  const head = '| store | in flight | keys/s | p50 ms | p99 ms | replays/s |\n|---|--:|--:|--:|--:|--:|\n';
  const rows = rounds.map(
    ({ store, inFlight, keysPerSecond, p50Ms, p99Ms, replaysPerSecond }) =>
      `| ${store} | ${inFlight} | ${keysPerSecond} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${replaysPerSecond} |`,
  );
  return `${head}${rows.join('\n')}\n`;
}
