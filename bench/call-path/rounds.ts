import { type Measurement, measure } from './load.ts';
import type { Options } from './options.ts';
import type { Runner } from './start.ts';

/** Every round of one contestant at one load, in order. */
export interface Series {
  readonly name: string;
  readonly inFlight: number;
  readonly rounds: Measurement[];
}

const WARM_UP_SHARE = 0.2;

/**
 * Everyone is measured in every round, beginning with another one each time: on a shared machine the noise of a minute
 * then falls on all of them, and being first after somebody else is nobody's lot alone.
 */
export async function runRounds(
  runners: readonly Runner[],
  { calls, rounds, inFlight: loads }: Options,
  progress: (line: string) => void,
): Promise<Series[]> {
  const series = new Map<string, Series>();
  progress('warming up');
  for (const runner of runners) await measure(runner, { calls, inFlight: Math.max(...loads) });
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const inFlight of loads) {
      for (const runner of rotated(runners, round)) {
        // Connections went idle and caches cold while the others had their turn.
        await measure(runner, { calls: Math.ceil(calls * WARM_UP_SHARE), inFlight });
        const { name } = runner.contestant;
        const key = `${name} ${inFlight}`;
        const entry = series.get(key) ?? { name, inFlight, rounds: [] };
        entry.rounds.push(await measure(runner, { calls, inFlight }));
        series.set(key, entry);
      }
    }
  }
  return [...series.values()];
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
