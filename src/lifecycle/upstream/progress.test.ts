import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ECHO_RESULT, recordingDeps, send } from '../../../test/recording-deps.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { Progress } from '../../contract/call/call-request.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import { sanitizeProgress } from './progress.ts';

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

/** The progress that a caller receives when an upstream sends this, through all phases. */
async function receive(...sent: readonly unknown[]): Promise<Progress[]> {
  const received: Progress[] = [];
  const { deps } = recordingDeps({
    answer: async ({ onProgress }) => {
      for (const progress of sent) onProgress!(progress as Progress);
      return ECHO_RESULT;
    },
  });
  await send(deps, { onProgress: (progress) => received.push(progress) });
  return received;
}

describe('sanitizeProgress', () => {
  it('passes on plain progress unchanged', async () => {
    const sent = [{ progress: 0 }, { progress: 1, total: 2, message: 'half of it' }];
    expect(await receive(...sent)).toEqual(sent);
  });

  it('removes secrets and terminal commands, and cuts long messages', async () => {
    const [{ message }] = (await receive({
      progress: 1,
      message: `connecting\nwith ${SECRET}\u001b[31m \u202e now ${'x'.repeat(100_000)}`,
    })) as [Required<Progress>];
    expect(message).toMatch(/^connecting with .+ now x+…$/);
    expect(message).not.toContain(SECRET);
    expect(message).toHaveLength(256);
  });

  it('redacts a secret with invisible characters in it, and one that the cut would split', async () => {
    const hidden = `${SECRET.slice(0, 20)}\u200b${SECRET.slice(20)}`;
    for (const message of [hidden, `${'word '.repeat(49)}${SECRET}`]) {
      const [received] = await receive({ progress: 1, message });
      expect(received!.message).not.toContain(SECRET.slice(0, 12));
    }
  });

  it('drops progress without a finite number, and a total that is not one', async () => {
    const invalid = [{ progress: Number.NaN }, { progress: '1' }, { progress: Infinity }, { total: 3 }];
    expect(await receive(...invalid)).toEqual([]);
    expect(await receive({ progress: 1, total: 'all' }, { progress: 2, message: { text: SECRET } })).toEqual([
      { progress: 1 },
      { progress: 2 },
    ]);
  });

  it('drops every other member', () => {
    fc.assert(
      fc.property(
        fc.record({ progress: fc.integer(), message: fc.string(), _meta: fc.anything() }),
        (sent) => {
          const received: Progress[] = [];
          sanitizeProgress((progress) => received.push(progress), makeRuleSet())(sent);
          expect(Object.keys(received[0]!).sort()).toEqual(['message', 'progress']);
          expect(received[0]!.message).toBe(plainLine(received[0]!.message!));
        },
      ),
    );
  });
});
