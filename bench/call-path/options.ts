import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export interface Options {
  readonly calls: number;
  readonly rounds: number;
  readonly inFlight: readonly number[];
  /** Names of contestants. */
  readonly only: readonly string[];
  /** The folder of an earlier build, measured beside this one. */
  readonly before: string | undefined;
  readonly out: string;
  readonly json: boolean;
}

/** A command line that cannot be meant. */
export class UsageError extends Error {}

const RESULTS = fileURLToPath(new URL('../results/call-path.json', import.meta.url));

/** @returns undefined where help was asked for. */
export function readOptions(args: readonly string[], names: readonly string[]): Options | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  const only = values.only === undefined ? names : listIn(values.only);
  const stranger = only.find((name) => !names.includes(name));
  if (stranger !== undefined)
    throw new UsageError(`No contestant "${stranger}". There are: ${names.join(', ')}`);
  return {
    calls: countIn('--calls', values.calls),
    rounds: countIn('--rounds', values.rounds),
    inFlight: listIn(values['in-flight']).map((text) => countIn('--in-flight', text)),
    only,
    before: values.before,
    out: values.out,
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        calls: { type: 'string', default: '1000' },
        rounds: { type: 'string', default: '5' },
        'in-flight': { type: 'string', default: '1,16' },
        only: { type: 'string' },
        before: { type: 'string' },
        out: { type: 'string', default: RESULTS },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
  } catch (thrown) {
    throw new UsageError((thrown as Error).message);
  }
}

function listIn(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function countIn(option: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new UsageError(`${option} takes whole numbers from 1 on, not "${text}"`);
  return Number(text);
}

export function usage(names: readonly string[]): string {
  return `npm run bench:call-path -- [options]

One echo tool, called by one client through every contestant: calls a second, p50, p99, CPU and memory.

  --calls N         calls of each measurement (1000)
  --rounds N        rounds, each in another order; the median of them counts (5)
  --in-flight LIST  how many calls are under way at a time (1,16)
  --only LIST       of: ${names.join(', ')}
  --before FOLDER   also an earlier build of Toolgate, in that folder: what a change costs
  --out FILE        where the results go as JSON (bench/results/call-path.json)
  --json            the results as JSON on standard output, and nothing else there
  --help

Exit codes: 0 done, 1 an answer was wrong or a contestant did not start, 2 wrong command.
`;
}
