import { type Load, type Measurement, measure } from './load.ts';
import type { Options } from './options.ts';
import type { Runner } from './start.ts';

/** Every round of one contestant at one load, in order. */
export interface Series {
  readonly name: string;
  readonly inFlight: number;
  readonly rounds: Measurement[];
  /** Of all calls, the warming up included: a wrong answer is one at any time. */
  wrong: number;
  firstWrong: string | undefined;
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
  const lanes = loads.map((inFlight) => runners.map((runner) => new Lane(runner, inFlight)));
  progress('warming up');
  for (const lane of lanes.at(-1) ?? []) await lane.run(calls);
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const lane of lanes.flatMap((load) => rotated(load, round))) {
      // Connections went idle and caches cold while the others had their turn.
      await lane.run(Math.ceil(calls * WARM_UP_SHARE));
      lane.series.rounds.push(await lane.run(calls));
    }
  }
  return lanes.flat().map(({ series }) => series);
}

/** One contestant at one load. */
class Lane {
  readonly series: Series;
  readonly #runner: Runner;

  constructor(runner: Runner, inFlight: number) {
    this.#runner = runner;
    this.series = { name: runner.contestant.name, inFlight, rounds: [], wrong: 0, firstWrong: undefined };
  }

  async run(calls: number): Promise<Measurement> {
    const load: Load = { calls, inFlight: this.series.inFlight };
    const measurement = await measure(this.#runner, load);
    this.series.wrong += measurement.wrong;
    this.series.firstWrong ??= measurement.firstWrong;
    return measurement;
  }
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
