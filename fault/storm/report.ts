import type { KeyOutcome } from '../crash/report.ts';

export interface StormReport {
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
  readonly keys: number;
  /** Keys whose effect happened more than once. */
  readonly doubled: number;
  /** Keys with a success without the effect. */
  readonly falseSuccess: number;
  /** Keys with a final failure, although the effect happened. */
  readonly falseFailure: number;
  /** Keys whose client never got an answer. */
  readonly stuck: number;
  /** Keys with a final failure without an effect. */
  readonly failed: number;
  readonly unknown: number;
}

/** Compares the answers with the effects. */
export function createStormReport(
  outcomes: readonly KeyOutcome[],
  faults: ReadonlyMap<string, number>,
): StormReport {
  const count = (isCounted: (outcome: KeyOutcome) => boolean): number => outcomes.filter(isCounted).length;
  return {
    faults,
    keys: outcomes.length,
    doubled: count(({ effects }) => effects > 1),
    falseSuccess: count(({ effects, answers }) => effects === 0 && answers.includes('success')),
    falseFailure: count(({ effects, answers }) => effects > 0 && answers.includes('failure')),
    stuck: count(({ answers }) => answers.includes('stuck')),
    failed: count(({ effects, answers }) => effects === 0 && answers.includes('failure')),
    unknown: count(({ answers }) => answers.includes('unknown')),
  };
}

export function isStormCorrect({ doubled, falseSuccess, falseFailure, stuck }: StormReport): boolean {
  return doubled + falseSuccess + falseFailure + stuck === 0;
}

export function formatStormTable(reports: ReadonlyMap<string, StormReport>): string {
  const head =
    '| store | faults | keys | doubled | false success | failed with effect | stuck | failed | unknown |\n' +
    '|---|---|--:|--:|--:|--:|--:|--:|--:|\n';
  const rows = [...reports].map(([store, report]) => {
    const { keys, doubled, falseSuccess, falseFailure, stuck, failed, unknown } = report;
    const faults = [...report.faults].map(([name, times]) => `${times} × ${name}`).join(', ');
    return `| ${store} | ${faults} | ${[keys, doubled, falseSuccess, falseFailure, stuck, failed, unknown].join(' | ')} |`;
  });
  return `${head}${rows.join('\n')}\n`;
}
