import type { ClientAnswer } from './client.ts';

export interface CrashReport {
  readonly kills: number;
  readonly keys: number;
  /** Keys whose effect happened more than once. */
  readonly doubled: number;
  /** Keys with a success without the effect, or a failure with it. */
  readonly false: number;
  /** Keys whose client never got an answer. */
  readonly stuck: number;
  readonly unknown: number;
  /** How many unknown keys the kills can explain. */
  readonly maxUnknown: number;
}

export interface KeyOutcome {
  readonly effects: number;
  /** The answer to each client that used the key. */
  readonly answers: readonly ClientAnswer[];
}

/** Compares the answers with the effects. */
export function createReport(
  outcomes: readonly KeyOutcome[],
  { kills, maxUnknown }: Pick<CrashReport, 'kills' | 'maxUnknown'>,
): CrashReport {
  const isFalse = ({ effects, answers }: KeyOutcome): boolean =>
    answers.some(
      (answer) => (answer === 'success' && effects === 0) || (answer === 'failure' && effects > 0),
    );
  return {
    kills,
    keys: outcomes.length,
    doubled: outcomes.filter(({ effects }) => effects > 1).length,
    false: outcomes.filter(isFalse).length,
    stuck: outcomes.filter(({ answers }) => answers.includes('stuck')).length,
    unknown: outcomes.filter(({ answers }) => answers.includes('unknown')).length,
    maxUnknown,
  };
}

/** Whether every key had one effect or was rightly reported as unknown. */
export function isCorrect({ doubled, false: wrong, stuck, unknown, maxUnknown }: CrashReport): boolean {
  return doubled === 0 && wrong === 0 && stuck === 0 && unknown <= maxUnknown;
}

export function formatReport({ kills, keys, doubled, false: wrong, stuck, unknown }: CrashReport): string {
  return `kills ${kills}, keys ${keys}, doubled ${doubled}, false ${wrong}, stuck ${stuck}, unknown ${unknown}`;
}
