/** `npm run bench:call-path`: the cost of a call through Toolgate, compared with a direct call and two proxies. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildNativeProxy } from './native-proxy.ts';
import { helpText, type Options, parseOptions, UsageError } from './options.ts';
import { formatReport } from './report.ts';
import {
  checkAcceptance,
  describeMachine,
  measureServers,
  type Results,
  summarizeSeries,
} from './results.ts';
import { runRounds } from './rounds.ts';
import { type StartedTargets, startAll } from './start.ts';
import { earlierTargets, NATIVE_TARGET, TARGETS, type Target } from './targets.ts';

const names = TARGETS.map(({ name }) => name);

try {
  const options = parseOptions(process.argv.slice(2), names);
  if (options) process.exitCode = await main(options);
  else process.stdout.write(helpText(names));
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown;
  process.stderr.write(`${thrown.message}\n\n${helpText(names)}`);
  process.exitCode = 2;
}

async function main(options: Options): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // No cleanup here: child.ts stops the children when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }

  const results = await compare(options, folder);
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(options.out, `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : `${formatReport(results)}\n`);
  return results.failures.length > 0 || results.cells.some(({ wrong }) => wrong > 0) ? 1 : 0;
}

async function compare(options: Options, folder: string): Promise<Results> {
  const progress = (line: string): void => {
    if (!options.json) process.stderr.write(`${line}\n`);
  };
  const machine = describeMachine();
  progress('starting');
  const targets = [
    ...TARGETS.filter(({ name }) => options.only.includes(name)),
    ...(options.before === undefined ? [] : earlierTargets(options.before, options.only)),
    ...(options.native ? nativeTargets(progress) : []),
  ];
  const connections = Math.max(...options.inFlight);
  const started = await startAll(targets, { folder, connections });
  try {
    const cells = summarizeSeries(await runRounds(started.connected, options, progress));
    return {
      date: new Date().toISOString(),
      machine,
      calls: options.calls,
      rounds: options.rounds,
      cells,
      servers: measureServers(started),
      failures: started.failures,
      acceptance: checkAcceptance(cells, options),
    };
  } finally {
    await stopAll(started);
  }
}

function nativeTargets(progress: (line: string) => void): readonly Target[] {
  const problem = buildNativeProxy(progress);
  if (problem !== undefined) progress(`${NATIVE_TARGET.name} is skipped: ${problem}`);
  return problem === undefined ? [NATIVE_TARGET] : [];
}

async function stopAll({ connected, servers }: StartedTargets): Promise<void> {
  await Promise.all(connected.map(({ client }) => client.close()));
  await Promise.all(servers.map(({ child }) => child.stop()));
}
