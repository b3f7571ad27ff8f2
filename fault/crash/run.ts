/** `npm run fault:crash`: gateways are killed under load; every key has one effect, or is reported unknown. */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/embedded-postgres.ts';
import { storm } from './storm.ts';
import { type Tally, tallyLine } from './tally.ts';

const HELP = `npm run fault:crash -- [options]

  --kills N              how often a gateway is killed, per store (default 20)
  --store sqlite|postgres   only this one

Prints one line a store: kills N, keys N, doubled 0, false 0, unknown N. Exit code 1 when doubled or false is not 0.

Examples:
  npm run fault:crash -- --kills 200
  npm run fault:crash -- --kills 5 --store sqlite
`;

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, store: { type: 'string' }, help: { type: 'boolean' } },
});
const kills = Number(values.kills);
const wanted = values.store === undefined ? ['sqlite', 'postgres'] : [values.store];

if (values.help) process.stdout.write(HELP);
else if (!Number.isInteger(kills) || kills < 1 || wanted.some((store) => !(store in STORES()))) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else {
  for (const store of wanted) {
    const tally = await STORES()[store]!();
    process.stdout.write(`${store}: ${tallyLine(tally)}\n`);
    if (tally.doubled > 0 || tally.false > 0) process.exitCode = 1;
  }
}

function STORES(): Record<string, () => Promise<Tally>> {
  return { sqlite: onSqlite, postgres: onPostgres };
}

function onSqlite(): Promise<Tally> {
  return storm({ kills, nodes: 1, store: { sqlite: 'toolgate.sqlite' }, onKill });
}

async function onPostgres(): Promise<Tally> {
  const postgres = await startPostgres();
  try {
    return await storm({ kills, nodes: 2, store: { postgres: await postgres.createDatabase() }, onKill });
  } finally {
    await postgres.stop();
  }
}

function onKill(killed: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${killed} of ${kills} kills`);
}
