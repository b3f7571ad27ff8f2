import { describe, expect, it } from 'vitest';
import type { DeclaredTerms } from '../contract/tool/descriptor.ts';
import type { ToolHints } from '../contract/tool/tool.ts';
import { fillBlanks, PROFILES } from './profile.ts';

const HOUR = 3_600_000;
const READS: ToolHints = { readOnly: true };
const DESTROYS: ToolHints = { destructive: true };

const DECLARED: DeclaredTerms = {
  mutation: 'write_reversible',
  timeoutClass: 'interactive',
  authorization: { requiredScopes: ['x'], credential: 'none' },
  idempotency: { key: 'optional', windowMs: 1 },
};

describe("an upstream's silence", () => {
  it.each([
    ['personal', READS, 'read_only'],
    ['personal', DESTROYS, 'write_irreversible'],
    ['personal', {}, 'write_reversible'],
    ['personal', { readOnly: true, destructive: true }, 'read_only'],
    ['personal', { readOnly: false, destructive: false }, 'write_reversible'],
    ['team', READS, 'read_only'],
    ['team', DESTROYS, 'write_irreversible'],
    ['team', {}, 'write_reversible'],
    ['production', READS, 'read_only'],
    ['production', DESTROYS, 'write_irreversible'],
    ['production', {}, 'write_irreversible'],
  ] as const)('under %s with the hints %j means %s', (profile, hints, mutation) => {
    const { terms, filled } = fillBlanks(profile, {}, hints);
    expect(terms.mutation).toBe(mutation);
    expect(filled).toContain('mutation');
  });

  it('about time means long_running, standard, or a refusal', () => {
    expect(fillBlanks('personal', {}, {}).terms.timeoutClass).toBe('long_running');
    expect(fillBlanks('team', {}, {}).terms.timeoutClass).toBe('standard');
    expect(fillBlanks('production', {}, {}).missing).toContain('timeoutClass');
  });

  it('about scopes means none, one by class, or a refusal', () => {
    expect(fillBlanks('personal', {}, {}).terms.authorization.requiredScopes).toEqual([]);
    expect(fillBlanks('team', {}, READS).terms.authorization.requiredScopes).toEqual(['tools:read']);
    expect(fillBlanks('team', {}, {}).terms.authorization.requiredScopes).toEqual(['tools:write']);
    expect(fillBlanks('production', {}, READS).missing).toContain('authorization');
  });

  it.each([
    ['personal', 'optional'],
    ['team', 'recommended'],
    ['production', 'required'],
  ] as const)('about idempotency keys of writes under %s means %s', (profile, key) => {
    expect(fillBlanks(profile, {}, {}).terms.idempotency.key).toBe(key);
    expect(fillBlanks(profile, {}, READS).terms.idempotency.key).toBe('optional');
  });

  it('about the window means twice the longest call, and an hour at least', () => {
    expect(fillBlanks('team', {}, {}).terms.idempotency.windowMs).toBe(HOUR);
    const day = fillBlanks('team', { timeoutClass: 'async' }, {});
    expect(day.terms.idempotency.windowMs).toBe(48 * HOUR);
  });

  it('is told by the blanks that were filled', () => {
    expect(fillBlanks('personal', {}, {})).toMatchObject({
      filled: ['mutation', 'timeoutClass', 'authorization', 'idempotency'],
      missing: [],
    });
    expect(fillBlanks('production', {}, {})).toMatchObject({
      filled: ['mutation', 'idempotency'],
      missing: ['timeoutClass', 'authorization'],
    });
  });
});

describe('what somebody declared', () => {
  it.each(PROFILES)('beats the profile %s and every hint', (profile) => {
    const { terms, filled, missing } = fillBlanks(profile, DECLARED, DESTROYS);
    expect(terms).toEqual(DECLARED);
    expect(filled).toEqual([]);
    expect(missing).toEqual([]);
  });
});
