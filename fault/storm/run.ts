/** `npm run fault:storm`: pauses, locks, full disks, clock jumps and restarts under load. Every key has one effect or is unknown. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/embedded-postgres.ts';
import { createNodes, nodeFaults } from './node-faults.ts';
import { postgresFaults } from './postgres-faults.ts';
import { formatStormTable, isStormCorrect, type StormReport } from './report.ts';
import { mountSmallDisk, sqliteFaults } from './sqlite-faults.ts';
import { runStorm, type StormStage } from './storm.ts';

const HELP = `npm run fault:storm -- [options]

  --seconds N               time of faults for each store (default 60)
  --store sqlite|postgres   only this store

Two gateways share each store. Faults follow each other: a process paused for longer than its lease, a jump of the
clock, a kill, a locked file or table, a full disk, commits that hang, a restart of PostgreSQL.

Prints a table. The exit code is 1 if a key was doubled, got a false success, got a failure although its effect happened,
or never got an answer. The full disk needs the right to mount a tmpfs; without it, that fault is skipped.

Examples:
  npm run fault:storm
  npm run fault:storm -- --seconds 20 --store sqlite
`;

const NODES = 2;

const STAGES: Readonly<Record<string, (folder: string, upstreamUrl: string) => Promise<StormStage>>> = {
  sqlite: async (folder, upstreamUrl) => {
    const disk = mountSmallDisk(folder);
    if (!disk.isMounted)
      process.stderr.write('full disk: skipped, because this account cannot mount a tmpfs\n');
    const file = join(disk.folder, 'toolgate.sqlite');
    const nodes = await createNodes({ folder, count: NODES, store: { sqlite: file }, upstreamUrl });
    const faults = [...nodeFaults(nodes, folder), ...sqliteFaults(file, disk)];
    return { nodes, faults, close: async () => disk.unmount() };
  },
  postgres: async (folder, upstreamUrl) => {
    const postgres = await startPostgres();
    const url = await postgres.createDatabase();
    const nodes = await createNodes({ folder, count: NODES, store: { postgres: url }, upstreamUrl });
    const faults = [...nodeFaults(nodes, folder), ...postgresFaults(postgres, url)];
    return { nodes, faults, close: () => postgres.stop() };
  },
};

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    store: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const seconds = Number(values.seconds);
const wanted = values.store === undefined ? Object.keys(STAGES) : [values.store];

if (values.help) process.stdout.write(HELP);
else if (!(seconds > 0) || !wanted.every((store) => Object.hasOwn(STAGES, store))) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else await main();

async function main(): Promise<void> {
  const reports = new Map<string, StormReport>();
  for (const store of wanted) {
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-storm-'));
    try {
      const prepare = (upstreamUrl: string): Promise<StormStage> => STAGES[store]!(folder, upstreamUrl);
      reports.set(store, await runStorm({ seconds, prepare, onFault: showProgress(store) }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  process.stdout.write(formatStormTable(reports));
  if (![...reports.values()].every(isStormCorrect)) process.exitCode = 1;
}

function showProgress(store: string): (name: string) => void {
  return (name) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${store}: ${name.padEnd(30)}`);
  };
}
