import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../app/wiring/tokenizer.ts';
import type { UpstreamState, UpstreamStatus } from '../../contract/upstream-state.ts';
import { NOTES_TOKENS, notesFor } from './notes.ts';

const since = '2026-01-01T00:00:00.000Z';
function status(namespace: string, kind: UpstreamState['kind'] = 'unavailable'): UpstreamStatus {
  const state = { kind, since, reason: 'x', retryAt: undefined, protocol: 'x' } as UpstreamState;
  return { namespace, state, tools: 0 };
}
const NO_NOTES = { isEmpty: false, leftOut: 0, unavailable: [] };

describe('notesFor', () => {
  it('returns no note for a complete answer', () => {
    expect(notesFor(NO_NOTES, countTokens)).toEqual([]);
  });

  it('states that nothing matches and what to do next', () => {
    expect(notesFor({ ...NO_NOTES, isEmpty: true }, countTokens)).toEqual([
      'No match. Use other words or browse from "/".',
    ]);
  });

  it('lists unavailable upstreams with their states', () => {
    const unavailable = [status('github'), status('mail', 'needs_credentials'), status('db', 'starting')];
    expect(notesFor({ ...NO_NOTES, unavailable }, countTokens)).toEqual([
      'Not available: github (down), mail (needs credentials), db (starting).',
    ]);
  });

  it('lists as many upstreams as fit and counts the rest', () => {
    const unavailable = Array.from({ length: 30 }, (_, i) => status(`server-${i}`));
    const [note] = notesFor({ ...NO_NOTES, unavailable }, countTokens);
    const [, named, more] = /^Not available: (.+), (\d+) more\.$/.exec(note!)!;
    expect(named!.split(', ').length + Number(more)).toBe(30);
  });

  it('only counts the upstreams where no name fits', () => {
    const endless = (i: number): UpstreamStatus => status(`${'zq'.repeat(30)}${i}`);
    expect(notesFor({ ...NO_NOTES, unavailable: [endless(1)] }, countTokens)).toEqual([
      'Not available: 1 upstream.',
    ]);
    expect(notesFor({ ...NO_NOTES, unavailable: [endless(1), endless(2)] }, countTokens)).toEqual([
      'Not available: 2 upstreams.',
    ]);
  });

  it('counts the tools that were left out', () => {
    expect(notesFor({ ...NO_NOTES, leftOut: 2 }, countTokens)).toEqual(['Not shown: 2 tools (id too long).']);
  });

  it('keeps all notes within the token budget', () => {
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
          const notes = notesFor({ isEmpty, leftOut, unavailable }, countTokens);
          expect(notes).toHaveLength(Number(isEmpty) + Number(leftOut > 0) + Number(unavailable.length > 0));
          expect(countTokens(`${notes.join('\n')}\n`)).toBeLessThanOrEqual(NOTES_TOKENS);
        },
      ),
      { numRuns: 300 },
    );
  });
});
