import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateSelection } from './selection.ts';

const OFFERED = [
  'git:merge#aaaaaaaa',
  'git:Merge_all#bbbbbbbb',
  'mail:send@1.0',
  'mail:send@2.0',
  'x:A#1',
  'x:a#1',
];

describe('validateSelection', () => {
  it.each([
    ['git:merge#aaaaaaaa', { status: 'accepted', id: 'git:merge#aaaaaaaa' }],
    ['  mail:send@1.0\n', { status: 'repaired', id: 'mail:send@1.0' }],
    ['GIT:MERGE#AAAAAAAA', { status: 'repaired', id: 'git:merge#aaaaaaaa' }],
    ['git:merge_', { status: 'repaired', id: 'git:Merge_all#bbbbbbbb' }],
    ['git:merge#', { status: 'repaired', id: 'git:merge#aaaaaaaa' }],
    ['mail:send@1.0(to, text)', { status: 'repaired', id: 'mail:send@1.0' }],
    ['mail:send@1(to, text)', { status: 'rejected', candidates: [] }],
    ['mail:send', { status: 'rejected', candidates: ['mail:send@1.0', 'mail:send@2.0'] }],
    ['X:A#1', { status: 'rejected', candidates: ['x:A#1', 'x:a#1'] }],
    ['nothing', { status: 'rejected', candidates: [] }],
    ['', { status: 'rejected', candidates: [] }],
    ['   ', { status: 'rejected', candidates: [] }],
  ])('matches %j exactly, ignoring case, as a unique prefix, or without arguments', (selected, outcome) => {
    expect(validateSelection(selected, OFFERED)).toEqual(outcome);
  });

  it('returns only offered ids', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (selected, offered) => {
        const outcome = validateSelection(selected, offered);
        const named = outcome.status === 'rejected' ? outcome.candidates : [outcome.id];
        for (const id of named) expect(offered).toContain(id);
      }),
    );
  });
});
