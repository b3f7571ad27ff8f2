/** `npm run fault:crash`: kills gateways under load. Every key must have one effect, or be reported as unknown. */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/embedded-postgres.ts';
import { killUnderLoad } from './kill-under-load.ts';
import { type CrashReport, formatReport, isCorrect } from './report.ts';

const HELP = `npm run fault:crash -- [options]

  --kills N                 number of kills for each store (default 20)
  --store sqlite|postgres   only this store

Prints one line for each store: kills N, keys N, doubled 0, false 0, stuck 0, unknown N. The exit code is 1 if doubled,
false or stuck is not 0, or if more keys are unknown than were in flight at the kills.

Examples:
  npm run fault:crash -- --kills 200
  npm run fault:crash -- --kills 5 --store sqlite
`;

const STORES: Readonly<Record<string, (kills: number) => Promise<CrashReport>>> = {
  sqlite: (kills) =>
    killUnderLoad({ kills, nodes: 1, store: { sqlite: 'toolgate.sqlite' }, onKill: showProgress(kills) }),
  postgres: async (kills) => {
    const postgres = await startPostgres();
    try {
      const store = { postgres: await postgres.createDatabase() };
      return await killUnderLoad({ kills, nodes: 2, store, onKill: showProgress(kills) });
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
    const report = await STORES[store]!(kills);
    process.stdout.write(`${store}: ${formatReport(report)}\n`);
    if (!isCorrect(report)) process.exitCode = 1;
  }
}

function showProgress(kills: number): (killed: number) => void {
  return (killed) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${killed} of ${kills} kills`);
  };
}
