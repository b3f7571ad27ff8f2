import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export interface Options {
  readonly calls: number;
  readonly rounds: number;
  readonly inFlight: readonly number[];
  /** Names of targets. */
  readonly only: readonly string[];
  /** The folder of an earlier build, measured in the same run. */
  readonly before: string | undefined;
  /** Whether to measure the proxy that is written in Rust. */
  readonly native: boolean;
  readonly out: string;
  readonly json: boolean;
}

/** A command line that cannot be used. */
export class UsageError extends Error {}

const RESULTS = fileURLToPath(new URL('../results/call-path.json', import.meta.url));

/** @returns undefined if help was requested. */
export function parseOptions(args: readonly string[], names: readonly string[]): Options | undefined {
  const { values } = parseCommandLine(args);
  if (values.help) return undefined;
  const only = values.only === undefined ? names : parseList(values.only);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`Unknown target "${unknown}". Targets: ${names.join(', ')}`);
  return {
    calls: parseCount('--calls', values.calls),
    rounds: parseCount('--rounds', values.rounds),
    inFlight: parseList(values['in-flight']).map((text) => parseCount('--in-flight', text)),
    only,
    before: values.before,
    native: values.native,
    out: values.out,
    json: values.json,
  };
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        calls: { type: 'string', default: '1000' },
        rounds: { type: 'string', default: '5' },
        'in-flight': { type: 'string', default: '1,16' },
        only: { type: 'string' },
        before: { type: 'string' },
        native: { type: 'boolean', default: false },
        out: { type: 'string', default: RESULTS },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
  } catch (thrown) {
    throw new UsageError((thrown as Error).message);
  }
}

function parseList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function parseCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new UsageError(`${option} must be a whole number of at least 1, not "${text}"`);
  return Number(text);
}

export function helpText(names: readonly string[]): string {
  return `npm run bench:call-path -- [options]

One client calls one echo tool through every target: calls per second, p50, p99, CPU and memory.

  --calls N         calls per measurement (1000)
  --rounds N        rounds, each in another order; the median is reported (5)
  --in-flight LIST  numbers of calls in flight (1,16)
  --only LIST       only these targets: ${names.join(', ')}
  --before FOLDER   also measure the build of Toolgate in this folder, to see the cost of a change
  --native          also measure the proxy mcp-proxy of crates.io, built with cargo at first use (minutes)
  --out FILE        file for the results as JSON (bench/results/call-path.json)
  --json            print only the results as JSON on standard output
  --help

Exit codes: 0 success, 1 a wrong answer or a target that did not start, 2 invalid command line.
`;
}
