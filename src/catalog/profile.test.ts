import { describe, expect, it } from 'vitest';
import type { DeclaredTerms } from '../contract/tool/descriptor.ts';
import type { ToolHints } from '../contract/tool/tool.ts';
import { completeTerms, PROFILES } from './profile.ts';

const HOUR = 3_600_000;
const READS: ToolHints = { readOnly: true };
const DESTROYS: ToolHints = { destructive: true };

const DECLARED: DeclaredTerms = {
  mutation: 'write_reversible',
  timeoutClass: 'interactive',
  authorization: { requiredScopes: ['x'], credential: 'none' },
  idempotency: { key: 'optional', windowMs: 2 * HOUR },
};

describe('completeTerms without declared terms', () => {
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
  ] as const)('under profile %s reads the hints %j as %s', (profile, hints, mutation) => {
    const { terms, filled } = completeTerms(profile, {}, hints);
    expect(terms.mutation).toBe(mutation);
    expect(filled).toContain('mutation');
  });

  it('uses long_running (personal) or standard (team), or requires a timeout class (production)', () => {
    expect(completeTerms('personal', {}, {}).terms.timeoutClass).toBe('long_running');
    expect(completeTerms('team', {}, {}).terms.timeoutClass).toBe('standard');
    expect(completeTerms('production', {}, {}).missing).toContain('timeoutClass');
  });

  it('requires no scope (personal), one by mutation class (team), or declared scopes (production)', () => {
    expect(completeTerms('personal', {}, {}).terms.authorization.requiredScopes).toEqual([]);
    expect(completeTerms('team', {}, READS).terms.authorization.requiredScopes).toEqual(['tools:read']);
    expect(completeTerms('team', {}, {}).terms.authorization.requiredScopes).toEqual(['tools:write']);
    expect(completeTerms('production', {}, READS).missing).toContain('authorization');
  });

  it.each([
    ['personal', 'optional'],
    ['team', 'recommended'],
    ['production', 'required'],
  ] as const)('under profile %s makes the idempotency key of a write %s', (profile, key) => {
    expect(completeTerms(profile, {}, {}).terms.idempotency.key).toBe(key);
    expect(completeTerms(profile, {}, READS).terms.idempotency.key).toBe('optional');
  });

  it('uses an idempotency window of twice the timeout, at least one hour', () => {
    expect(completeTerms('team', {}, {}).terms.idempotency.windowMs).toBe(HOUR);
    const day = completeTerms('team', { timeoutClass: 'async' }, {});
    expect(day.terms.idempotency.windowMs).toBe(48 * HOUR);
  });

  it('lists the terms that were filled in and those that are missing', () => {
    expect(completeTerms('personal', {}, {})).toMatchObject({
      filled: ['mutation', 'timeoutClass', 'authorization', 'idempotency'],
      missing: [],
    });
    expect(completeTerms('production', {}, {})).toMatchObject({
      filled: ['mutation', 'idempotency'],
      missing: ['timeoutClass', 'authorization'],
    });
  });
});

describe('completeTerms with declared terms', () => {
  it.each(PROFILES)('prefers them over profile %s and over hints', (profile) => {
    const { terms, filled, missing } = completeTerms(profile, DECLARED, DESTROYS);
    expect(terms).toEqual(DECLARED);
    expect(filled).toEqual([]);
    expect(missing).toEqual([]);
  });

  it.each([
    ['interactive', 1, HOUR],
    ['interactive', HOUR, HOUR],
    ['interactive', HOUR + 1, HOUR + 1],
    ['async', HOUR, 48 * HOUR],
  ] as const)('with timeout class %s raises a window of %i ms to %i ms', (timeoutClass, windowMs, raised) => {
    const { terms, raisedFromMs } = completeTerms(
      'personal',
      { timeoutClass, idempotency: { windowMs } },
      {},
    );
    expect(terms.idempotency).toEqual({ key: 'optional', windowMs: raised });
    expect(raisedFromMs).toBe(raised === windowMs ? undefined : windowMs);
  });

  it.each<[DeclaredTerms['authorization'], readonly string[]]>([
    [{ credential: 'gateway' }, ['authorization']],
    [{ requiredScopes: [] }, []],
    [{ requiredScopesAny: ['a'] }, []],
  ])('under profile production, %j leaves these terms missing: %j', (authorization, missing) => {
    const declared = { timeoutClass: 'standard', authorization } as const;
    expect(completeTerms('production', declared, {}).missing).toEqual(missing);
  });
});
