import { callEcho } from './echo.ts';
import { cpuSeconds } from './process-stats.ts';
import type { ConnectedTarget } from './start.ts';

export interface Load {
  readonly calls: number;
  readonly inFlight: number;
}

/** One target, one load, one round. */
export interface Measurement {
  /** Correct answers only. */
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the target's main process. More stable than calls per second on a shared machine. */
  readonly cpuMsPerCall: number | undefined;
  /** Of the client, to show that it is not the bottleneck. */
  readonly clientCpuMsPerCall: number;
  readonly wrong: number;
  readonly firstWrong: string | undefined;
}

/** One worker per call in flight. Each sends its next call when it has the answer to the previous one. */
export async function measure(connected: ConnectedTarget, { calls, inFlight }: Load): Promise<Measurement> {
  const { target, running, client } = connected;
  const latencies: number[] = [];
  let sent = 0;
  let wrong = 0;
  let firstWrong: string | undefined;
  const work = async (): Promise<void> => {
    while (sent++ < calls) {
      const sentAt = performance.now();
      try {
        await callEcho(target, client);
        latencies.push(performance.now() - sentAt);
      } catch (thrown) {
        wrong++;
        firstWrong ??= String(thrown);
      }
    }
  };

  const cpuBefore = cpuSeconds(running.child.pid);
  const clientBefore = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  const clientCpu = process.cpuUsage(clientBefore);
  const cpuAfter = cpuSeconds(running.child.pid);

  latencies.sort((a, b) => a - b);
  return {
    callsPerSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    cpuMsPerCall:
      cpuBefore === undefined || cpuAfter === undefined
        ? undefined
        : ((cpuAfter - cpuBefore) * 1_000) / calls,
    clientCpuMsPerCall: (clientCpu.user + clientCpu.system) / 1_000 / calls,
    wrong,
    firstWrong,
  };
}

/** Nearest-rank percentile: the smallest value that at least this share of the values does not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}
