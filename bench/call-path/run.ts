/** `npm run bench:call-path`: what a call costs through Toolgate, beside the upstream by itself and two pass-throughs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CONTESTANTS, earlierBuild } from './contestants.ts';
import { type Options, readOptions, UsageError, usage } from './options.ts';
import { report } from './report.ts';
import { acceptanceOf, cellsOf, machineFacts, type Results, serverFacts } from './results.ts';
import { runRounds } from './rounds.ts';
import { type Field, startAll } from './start.ts';

const names = CONTESTANTS.map(({ name }) => name);

try {
  const options = readOptions(process.argv.slice(2), names);
  if (options) process.exitCode = await main(options);
  else process.stdout.write(usage(names));
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown;
  process.stderr.write(`${thrown.message}\n\n${usage(names)}`);
  process.exitCode = 2;
}

async function main(options: Options): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Leaving is enough: whatever ends this process ends its children.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }

  const results = await compare(options, folder);
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(options.out, `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : `${report(results)}\n`);
  return results.failures.length > 0 || results.cells.some(({ wrong }) => wrong > 0) ? 1 : 0;
}

async function compare(options: Options, folder: string): Promise<Results> {
  const progress = (line: string): void => {
    if (!options.json) process.stderr.write(`${line}\n`);
  };
  const machine = machineFacts();
  progress('starting');
  const contestants = [
    ...CONTESTANTS.filter(({ name }) => options.only.includes(name)),
    ...(options.before === undefined ? [] : [earlierBuild(options.before)]),
  ];
  const connections = Math.max(...options.inFlight);
  const field = await startAll(contestants, { folder, connections });
  try {
    const cells = cellsOf(await runRounds(field.runners, options, progress));
    return {
      date: new Date().toISOString(),
      machine,
      calls: options.calls,
      rounds: options.rounds,
      cells,
      servers: serverFacts(field),
      failures: field.failures,
      acceptance: acceptanceOf(cells, options),
    };
  } finally {
    await endAll(field);
  }
}

async function endAll({ runners, servers }: Field): Promise<void> {
  await Promise.all(runners.map(({ wire }) => wire.close()));
  await Promise.all(servers.map(({ child }) => child.end()));
}
