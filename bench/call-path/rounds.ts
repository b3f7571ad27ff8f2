import { type Load, type Measurement, measure } from './load.ts';
import type { Options } from './options.ts';
import type { ConnectedTarget } from './start.ts';

/** All rounds of one target at one load, in order. */
export interface Series {
  readonly name: string;
  readonly inFlight: number;
  readonly rounds: Measurement[];
  /** Of all calls, including the warm-up. */
  wrong: number;
  firstWrong: string | undefined;
}

const WARM_UP_SHARE = 0.2;

/**
 * Measures every target in every round, and starts each round with another target. So noise on a shared machine affects all
 * targets alike, and none is always measured after the same one.
 */
export async function runRounds(
  targets: readonly ConnectedTarget[],
  { calls, rounds, inFlight: loads }: Options,
  progress: (line: string) => void,
): Promise<Series[]> {
  const byLoad = loads.map((inFlight) => targets.map((target) => new SeriesRunner(target, inFlight)));
  progress('warming up');
  for (const runner of byLoad.at(-1) ?? []) await runner.run(calls);
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const runner of byLoad.flatMap((runners) => rotate(runners, round))) {
      // Connections became idle and caches cold while the other targets were measured.
      await runner.run(Math.ceil(calls * WARM_UP_SHARE));
      runner.series.rounds.push(await runner.run(calls));
    }
  }
  return byLoad.flat().map(({ series }) => series);
}

/** Runs one target at one load. */
class SeriesRunner {
  readonly series: Series;
  readonly #connected: ConnectedTarget;

  constructor(connected: ConnectedTarget, inFlight: number) {
    this.#connected = connected;
    this.series = { name: connected.target.name, inFlight, rounds: [], wrong: 0, firstWrong: undefined };
  }

  async run(calls: number): Promise<Measurement> {
    const load: Load = { calls, inFlight: this.series.inFlight };
    const measurement = await measure(this.#connected, load);
    this.series.wrong += measurement.wrong;
    this.series.firstWrong ??= measurement.firstWrong;
    return measurement;
  }
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
