/** `npm run fault:crash`: gateways are killed under load; every key has one effect, or is reported unknown. */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/embedded-postgres.ts';
import { storm } from './storm.ts';
import { isSound, type Tally, tallyLine } from './tally.ts';

const HELP = `npm run fault:crash -- [options]

  --kills N              how often a gateway is killed, per store (default 20)
  --store sqlite|postgres   only this one

Prints one line a store: kills N, keys N, doubled 0, false 0, unknown N. Exit code 1 when doubled or false is not 0, or
when more is unknown than was under way at the kills.

Examples:
  npm run fault:crash -- --kills 200
  npm run fault:crash -- --kills 5 --store sqlite
`;

const STORES: Readonly<Record<string, (kills: number) => Promise<Tally>>> = {
  sqlite: (kills) =>
    storm({ kills, nodes: 1, store: { sqlite: 'toolgate.sqlite' }, onKill: progressOf(kills) }),
  postgres: async (kills) => {
    const postgres = await startPostgres();
    try {
      const store = { postgres: await postgres.createDatabase() };
      return await storm({ kills, nodes: 2, store, onKill: progressOf(kills) });
    } finally {
      await postgres.stop();
    }
  },
};

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, store: { type: 'string' }, help: { type: 'boolean' } },
});
const kills = Number(values.kills);
const wanted = values.store === undefined ? Object.keys(STORES) : [values.store];

if (values.help) process.stdout.write(HELP);
else if (!Number.isInteger(kills) || kills < 1 || !wanted.every((store) => Object.hasOwn(STORES, store))) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else {
  for (const store of wanted) {
    const tally = await STORES[store]!(kills);
    process.stdout.write(`${store}: ${tallyLine(tally)}\n`);
    if (!isSound(tally)) process.exitCode = 1;
  }
}

function progressOf(kills: number): (killed: number) => void {
  return (killed) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${killed} of ${kills} kills`);
  };
}
