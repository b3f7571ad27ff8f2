import type { Kept } from '../lifecycle/once.ts';

const TEXT =
  'This call was settled by an operator: its effect happened. What the tool answered is not known.';

/** What callers are told who ask again with the key of a call that an operator found to have happened. */
export function settledResult(callId: string, note: string | undefined): string {
  const text = note === undefined ? TEXT : `${TEXT} ${note}`;
  const kept: Kept = {
    result: { content: [{ type: 'text', text }], isError: false },
    executedAt: new Date().toISOString(),
    source: 'replay',
    replayOf: callId,
    settled: true,
  };
  return JSON.stringify(kept);
}
