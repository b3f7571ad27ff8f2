/** From the rounds to the numbers that are told. */
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';
import type { Measurement } from './load.ts';
import type { Options } from './options.ts';
import type { Series } from './rounds.ts';
import type { Failure, Field } from './start.ts';
import { descendants, residentMegabytes } from './usage.ts';

export interface Results {
  readonly date: string;
  readonly machine: Machine;
  readonly calls: number;
  readonly rounds: number;
  readonly cells: readonly Cell[];
  readonly servers: readonly ServerFacts[];
  readonly failures: readonly Failure[];
  /** At the highest load: right answers only, at least as many a second as mcp-proxy, and a lower p99. */
  readonly acceptance: Acceptance | undefined;
}

/** One contestant at one load: the median of its rounds. */
export interface Cell {
  readonly name: string;
  readonly inFlight: number;
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerCall: number | undefined;
  readonly clientCpuMsPerCall: number;
  readonly toMcpProxy: Ratio | undefined;
  readonly toUpstream: Ratio | undefined;
  /** To an earlier build of Toolgate, where one was named. */
  readonly toBefore: Ratio | undefined;
  readonly wrong: number;
  readonly firstWrong: string | undefined;
  /** What the medians were taken from, for whoever wants to see the spread. */
  readonly rounds: readonly Measurement[];
}

/** How many times the other one's: the median over the rounds, so that each is compared under the same noise. */
export interface Ratio {
  readonly callsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface ServerFacts {
  readonly name: string;
  readonly firstAnswerMs: number;
  readonly residentMb: number | undefined;
  readonly childrenMb: number | undefined;
}

export interface Acceptance {
  readonly inFlight: number;
  readonly callsPerSecond: number;
  readonly p99: number;
  readonly holds: boolean;
}

interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
  readonly loadBefore: number;
}

export function machineFacts(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
    node: process.version,
    loadBefore: loadavg()[0]!,
  };
}

/** Asked while the servers still run: what they hold after the load is part of the answer. */
export function serverFacts({ servers }: Field): ServerFacts[] {
  return servers.map(({ server, child, firstAnswerMs }) => {
    const children = descendants(child.pid).map((pid) => residentMegabytes(pid) ?? 0);
    return {
      name: server.name,
      firstAnswerMs,
      residentMb: residentMegabytes(child.pid),
      childrenMb: children.length === 0 ? undefined : children.reduce((sum, size) => sum + size, 0),
    };
  });
}

export function cellsOf(series: readonly Series[]): Cell[] {
  return series.map(({ name, inFlight, rounds, wrong, firstWrong }) => {
    const of = (key: NumericKey): number => median(rounds.map((round) => round[key] ?? Number.NaN));
    const cpuMsPerCall = of('cpuMsPerCall');
    return {
      name,
      inFlight,
      callsPerSecond: of('callsPerSecond'),
      p50Ms: of('p50Ms'),
      p99Ms: of('p99Ms'),
      cpuMsPerCall: Number.isNaN(cpuMsPerCall) ? undefined : cpuMsPerCall,
      clientCpuMsPerCall: of('clientCpuMsPerCall'),
      toMcpProxy: ratio(rounds, roundsOf(series, 'mcp-proxy', inFlight)),
      toUpstream: ratio(rounds, roundsOf(series, 'upstream', inFlight)),
      toBefore: ratio(rounds, roundsOf(series, 'before', inFlight)),
      wrong,
      firstWrong,
      rounds,
    };
  });
}

type NumericKey = 'callsPerSecond' | 'p50Ms' | 'p99Ms' | 'cpuMsPerCall' | 'clientCpuMsPerCall';

function roundsOf(
  series: readonly Series[],
  name: string,
  inFlight: number,
): readonly Measurement[] | undefined {
  return series.find((other) => other.name === name && other.inFlight === inFlight)?.rounds;
}

function ratio(mine: readonly Measurement[], theirs: readonly Measurement[] | undefined): Ratio | undefined {
  if (!theirs) return undefined;
  const of = (key: 'callsPerSecond' | 'p50Ms' | 'p99Ms'): number =>
    median(mine.map((round, at) => round[key] / theirs[at]![key]));
  return { callsPerSecond: of('callsPerSecond'), p50: of('p50Ms'), p99: of('p99Ms') };
}

export function acceptanceOf(cells: readonly Cell[], { inFlight }: Options): Acceptance | undefined {
  const highest = Math.max(...inFlight);
  const cell = cells.find(({ name, inFlight: load }) => name === 'toolgate' && load === highest);
  if (!cell?.toMcpProxy) return undefined;
  const { callsPerSecond, p99 } = cell.toMcpProxy;
  return {
    inFlight: highest,
    callsPerSecond,
    p99,
    holds: callsPerSecond >= 1 && p99 < 1 && cell.wrong === 0,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}
