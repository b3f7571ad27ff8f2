import type { Told } from './customer.ts';

export interface Tally {
  readonly kills: number;
  readonly keys: number;
  /** Keys whose effect happened more than once. */
  readonly doubled: number;
  /** A success without the effect, or a failure with it. */
  readonly false: number;
  readonly unknown: number;
  /** How many the kills can explain. */
  readonly unknownAtMost: number;
}

export interface KeyOutcome {
  readonly effects: number;
  /** What each caller with this key was told. */
  readonly told: readonly Told[];
}

export function tallyOf(kills: number, outcomes: readonly KeyOutcome[], unknownAtMost: number): Tally {
  const isFalse = ({ effects, told }: KeyOutcome): boolean =>
    told.some((word) => (word === 'success' && effects === 0) || (word === 'failure' && effects > 0));
  return {
    kills,
    keys: outcomes.length,
    doubled: outcomes.filter(({ effects }) => effects > 1).length,
    false: outcomes.filter(isFalse).length,
    unknown: outcomes.filter(({ told }) => told.includes('unknown')).length,
    unknownAtMost,
  };
}

/** Whether every key had one effect or was rightly reported unknown. */
export function isSound({ doubled, false: wrong, unknown, unknownAtMost }: Tally): boolean {
  return doubled === 0 && wrong === 0 && unknown <= unknownAtMost;
}

export function tallyLine({ kills, keys, doubled, false: wrong, unknown }: Tally): string {
  return `kills ${kills}, keys ${keys}, doubled ${doubled}, false ${wrong}, unknown ${unknown}`;
}
