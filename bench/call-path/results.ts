/** Computes the reported numbers from the rounds. */

import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';
import type { Measurement } from './load.ts';
import type { Options } from './options.ts';
import { findDescendants, residentMegabytes } from './process-stats.ts';
import type { Series } from './rounds.ts';
import type { Failure, StartedTargets } from './start.ts';
import { earlierNameOf } from './targets.ts';

export interface Results {
  readonly date: string;
  readonly machine: Machine;
  readonly calls: number;
  readonly rounds: number;
  readonly cells: readonly Cell[];
  readonly servers: readonly ServerStats[];
  readonly failures: readonly Failure[];
  /** At the highest load: no wrong answer, at least as many calls per second as mcp-proxy, and a lower p99. */
  readonly acceptance: Acceptance | undefined;
}

/** One target at one load: the median of its rounds. */
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
  /** To the same target of an earlier build of Toolgate, if `--before` named one. */
  readonly toBefore: Ratio | undefined;
  /** To the target that differs in one thing only. */
  readonly toPeer: PeerRatio | undefined;
  readonly wrong: number;
  readonly firstWrong: string | undefined;
  /** The values behind the medians, to show the spread. */
  readonly rounds: readonly Measurement[];
}

/** Median of the ratios within each round, so that both values have the same noise. */
export interface Ratio {
  readonly callsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface PeerRatio extends Ratio {
  readonly peer: string;
  /** Median of the differences of the two p50 within each round. */
  readonly addedP50Ms: number;
}

/** A gateway before an HTTP upstream and that upstream alone; the two eras of one gateway. */
const PEERS: Readonly<Record<string, string>> = {
  'toolgate-http': 'http-upstream',
  'toolgate-http-2026': 'http-upstream-2026',
  'before-http': 'http-upstream',
  'before-http-2026': 'http-upstream-2026',
  'mcp-proxy-rs-http': 'http-upstream',
  'toolgate-2026': 'toolgate',
};

export interface ServerStats {
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

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
    node: process.version,
    loadBefore: loadavg()[0]!,
  };
}

/** Call it while the servers still run: their memory after the load is part of the result. */
export function measureServers({ servers }: StartedTargets): ServerStats[] {
  return servers.map(({ server, child, firstAnswerMs }) => {
    const children = findDescendants(child.pid).map((pid) => residentMegabytes(pid) ?? 0);
    return {
      name: server.name,
      firstAnswerMs,
      residentMb: residentMegabytes(child.pid),
      childrenMb: children.length === 0 ? undefined : children.reduce((sum, size) => sum + size, 0),
    };
  });
}

export function summarizeSeries(series: readonly Series[]): Cell[] {
  return series.map(({ name, inFlight, rounds, wrong, firstWrong }) => {
    const medianOf = (key: NumericKey): number => median(rounds.map((round) => round[key] ?? Number.NaN));
    const cpuMsPerCall = medianOf('cpuMsPerCall');
    return {
      name,
      inFlight,
      callsPerSecond: medianOf('callsPerSecond'),
      p50Ms: medianOf('p50Ms'),
      p99Ms: medianOf('p99Ms'),
      cpuMsPerCall: Number.isNaN(cpuMsPerCall) ? undefined : cpuMsPerCall,
      clientCpuMsPerCall: medianOf('clientCpuMsPerCall'),
      toMcpProxy: ratio(rounds, roundsOf(series, 'mcp-proxy', inFlight)),
      toUpstream: ratio(rounds, roundsOf(series, 'upstream', inFlight)),
      toPeer: peerRatio(rounds, series, { name, inFlight }),
      toBefore: ratio(rounds, roundsOf(series, earlierNameOf(name), inFlight)),
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

function ratio(
  rounds: readonly Measurement[],
  baseline: readonly Measurement[] | undefined,
): Ratio | undefined {
  if (!baseline) return undefined;
  const medianOf = (key: 'callsPerSecond' | 'p50Ms' | 'p99Ms'): number =>
    median(rounds.map((round, index) => round[key] / baseline[index]![key]));
  return { callsPerSecond: medianOf('callsPerSecond'), p50: medianOf('p50Ms'), p99: medianOf('p99Ms') };
}

function peerRatio(
  rounds: readonly Measurement[],
  series: readonly Series[],
  { name, inFlight }: Pick<Series, 'name' | 'inFlight'>,
): PeerRatio | undefined {
  const peer = PEERS[name];
  const baseline = peer === undefined ? undefined : roundsOf(series, peer, inFlight);
  const ratios = ratio(rounds, baseline);
  if (peer === undefined || !baseline || !ratios) return undefined;
  const addedP50Ms = median(rounds.map(({ p50Ms }, index) => p50Ms - baseline[index]!.p50Ms));
  return { ...ratios, peer, addedP50Ms };
}

export function checkAcceptance(cells: readonly Cell[], { inFlight }: Options): Acceptance | undefined {
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
