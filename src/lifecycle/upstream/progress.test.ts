import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordingDeps, SAID, send } from '../../../test/recording-deps.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { Progress } from '../../contract/call/call-request.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import { sanitizeProgress } from './progress.ts';

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

/** What a caller hears when an upstream says so, through the whole road. */
async function heard(...said: readonly unknown[]): Promise<Progress[]> {
  const told: Progress[] = [];
  const { deps } = recordingDeps({
    answer: async ({ onProgress }) => {
      for (const progress of said) onProgress!(progress as Progress);
      return SAID;
    },
  });
  await send(deps, { onProgress: (progress) => told.push(progress) });
  return told;
}

describe('what a caller hears of a call under way', () => {
  it('is what the upstream says, where that is plain', async () => {
    const said = [{ progress: 0 }, { progress: 1, total: 2, message: 'half of it' }];
    expect(await heard(...said)).toEqual(said);
  });

  it('has no secret, no command to a terminal, and no end of words', async () => {
    const [{ message }] = (await heard({
      progress: 1,
      message: `connecting\nwith ${SECRET}\u001b[31m \u202e now ${'x'.repeat(100_000)}`,
    })) as [Required<Progress>];
    expect(message).toMatch(/^connecting with .+ now x+…$/);
    expect(message).not.toContain(SECRET);
    expect(message).toHaveLength(256);
  });

  it('has no secret that is hidden from a reader’s eye, or that begins near the end of the line', async () => {
    const hidden = `${SECRET.slice(0, 20)}\u200b${SECRET.slice(20)}`;
    for (const message of [hidden, `${'word '.repeat(49)}${SECRET}`]) {
      const [told] = await heard({ progress: 1, message });
      expect(told!.message).not.toContain(SECRET.slice(0, 12));
    }
  });

  it('is nothing where the number is none, and has no total that is none', async () => {
    const unsaid = [{ progress: Number.NaN }, { progress: '1' }, { progress: Infinity }, { total: 3 }];
    expect(await heard(...unsaid)).toEqual([]);
    expect(await heard({ progress: 1, total: 'all' }, { progress: 2, message: { text: SECRET } })).toEqual([
      { progress: 1 },
      { progress: 2 },
    ]);
  });

  it('has nothing else, whatever came along', () => {
    fc.assert(
      fc.property(
        fc.record({ progress: fc.integer(), message: fc.string(), _meta: fc.anything() }),
        (said) => {
          const told: Progress[] = [];
          sanitizeProgress((progress) => told.push(progress), makeRuleSet())(said);
          expect(Object.keys(told[0]!).sort()).toEqual(['message', 'progress']);
          expect(told[0]!.message).toBe(plainLine(told[0]!.message!));
        },
      ),
    );
  });
});
