import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../app/wiring/tokenizer.ts';
import type { UpstreamState, UpstreamStatus } from '../../contract/upstream-state.ts';
import { NOTES_TOKENS, notesOn } from './notes.ts';

const since = '2026-01-01T00:00:00.000Z';
function status(namespace: string, kind: UpstreamState['kind'] = 'unavailable'): UpstreamStatus {
  const state = { kind, since, reason: 'x', retryAt: undefined, protocol: 'x' } as UpstreamState;
  return { namespace, state, tools: 0 };
}
const NOTHING = { isEmpty: false, leftOut: 0, unavailable: [] };

describe('notes beside cards', () => {
  it('are none where there is nothing to say', () => {
    expect(notesOn(NOTHING, countTokens)).toEqual([]);
  });

  it('say that nothing matches and where to go', () => {
    expect(notesOn({ ...NOTHING, isEmpty: true }, countTokens)).toEqual([
      'Nothing matches. Use other words, or walk from "/".',
    ]);
  });

  it('name upstreams that are not there, each with its state', () => {
    const unavailable = [status('github'), status('mail', 'needs_credentials'), status('db', 'starting')];
    expect(notesOn({ ...NOTHING, unavailable }, countTokens)).toEqual([
      'Not available: github (down), mail (needs credentials), db (starting).',
    ]);
  });

  it('name as many as fit and count the rest', () => {
    const unavailable = Array.from({ length: 30 }, (_, i) => status(`server-${i}`));
    const [note] = notesOn({ ...NOTHING, unavailable }, countTokens);
    const [, named, more] = /^Not available: (.+), (\d+) more\.$/.exec(note!)!;
    expect(named!.split(', ').length + Number(more)).toBe(30);
  });

  it('count where not one name fits', () => {
    const endless = (i: number): UpstreamStatus => status(`${'zq'.repeat(30)}${i}`);
    expect(notesOn({ ...NOTHING, unavailable: [endless(1)] }, countTokens)).toEqual([
      'Not available: 1 upstream.',
    ]);
    expect(notesOn({ ...NOTHING, unavailable: [endless(1), endless(2)] }, countTokens)).toEqual([
      'Not available: 2 upstreams.',
    ]);
  });

  it('say that tools were left out', () => {
    expect(notesOn({ ...NOTHING, leftOut: 2 }, countTokens)).toEqual(['Not shown: 2 with ids too long.']);
  });

  it('fit their budget all together, and none is lost', () => {
    const kind = fc.constantFrom<UpstreamState['kind']>(
      'starting',
      'unavailable',
      'needs_credentials',
      'invalid',
      'stopped',
    );
    const upstream = fc
      .tuple(fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/), kind)
      .map(([namespace, state]) => status(namespace, state));
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.nat(100_000),
        fc.array(upstream, { maxLength: 40 }),
        (isEmpty, leftOut, unavailable) => {
          const notes = notesOn({ isEmpty, leftOut, unavailable }, countTokens);
          expect(notes).toHaveLength(Number(isEmpty) + Number(leftOut > 0) + Number(unavailable.length > 0));
          expect(countTokens(`${notes.join('\n')}\n`)).toBeLessThanOrEqual(NOTES_TOKENS);
        },
      ),
      { numRuns: 300 },
    );
  });
});
