import { checkedEcho } from './echo.ts';
import type { Runner } from './start.ts';
import { cpuSeconds } from './usage.ts';

export interface Load {
  readonly calls: number;
  readonly inFlight: number;
}

/** One contestant, one load, one round. */
export interface Measurement {
  /** Right answers only. */
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the contestant's main process. Firmer than calls a second where others use the machine too. */
  readonly cpuMsPerCall: number | undefined;
  /** Of the client, for whoever doubts that it is fast enough. */
  readonly clientCpuMsPerCall: number;
  readonly wrong: number;
  readonly firstWrong: string | undefined;
}

/** As many workers as calls are to be under way; each sends its next call when it has the answer to the last. */
export async function measure(runner: Runner, { calls, inFlight }: Load): Promise<Measurement> {
  const { contestant, running, wire } = runner;
  const latencies: number[] = [];
  let begun = 0;
  let wrong = 0;
  let firstWrong: string | undefined;
  const work = async (): Promise<void> => {
    while (begun++ < calls) {
      const sentAt = performance.now();
      try {
        await checkedEcho(contestant, wire);
        latencies.push(performance.now() - sentAt);
      } catch (thrown) {
        wrong++;
        firstWrong ??= String(thrown);
      }
    }
  };

  const cpuBefore = cpuSeconds(running.child.pid);
  const clientBefore = process.cpuUsage();
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  const seconds = (performance.now() - began) / 1_000;
  const client = process.cpuUsage(clientBefore);
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
    clientCpuMsPerCall: (client.user + client.system) / 1_000 / calls,
    wrong,
    firstWrong,
  };
}

/** The smallest value that at least this share of them does not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}
