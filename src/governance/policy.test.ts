import { describe, expect, it, vi } from 'vitest';
import { contractOf } from '../../test/recording-deps.ts';
import { LOCAL_USER, type Principal } from '../contract/call/principal.ts';
import { Policy } from './policy.ts';
import type { Rule } from './rule.ts';

const ALLOW: Rule = { name: 'allow', evaluate: () => ({ effect: 'allow', text: 'yes' }) };
const DENY: Rule = { name: 'deny', evaluate: () => ({ effect: 'deny', text: 'no' }) };
const caller = { principal: LOCAL_USER };

describe('Policy', () => {
  it('shows external tools and hides internal ones from every principal', () => {
    const policy = new Policy([ALLOW]);
    const contract = contractOf({});
    const admin = { ...LOCAL_USER, roles: ['admin'], scopes: ['tools:write'] };
    for (const principal of [LOCAL_USER, admin]) {
      expect(policy.maySee({ principal }, contract)).toBe(true);
      expect(policy.maySee({ principal }, { ...contract, visibility: 'internal' })).toBe(false);
    }
  });

  it('hides a tool that a rule denies, and one that no rule allows', () => {
    expect(new Policy([ALLOW, DENY]).maySee(caller, contractOf({}))).toBe(false);
    expect(new Policy([]).maySee(caller, contractOf({}))).toBe(false);
  });

  it('evaluates a rule without call context once for each principal and contract', () => {
    const evaluate = vi.fn<Rule['evaluate']>(() => ({ effect: 'allow', text: 'yes' }));
    const policy = new Policy([{ name: 'counted', evaluate }]);
    const contracts = [contractOf({}), contractOf({ name: 'other' })];
    const ann: Principal = { ...LOCAL_USER, id: 'ann' };
    for (const principal of [LOCAL_USER, ann, { ...ann }]) {
      for (const contract of [...contracts, ...contracts]) {
        policy.maySee({ principal }, contract);
        policy.decide({ principal }, contract, { args: {} });
      }
    }
    expect(evaluate).toHaveBeenCalledTimes(2 * contracts.length);
  });

  it('evaluates a rule with call context for every call, and never for visibility', () => {
    const evaluate = vi.fn<Rule['evaluate']>(({ args, environment }) =>
      args?.amount === 7 && environment?.transport === 'stdio'
        ? { effect: 'deny', text: 'too much' }
        : undefined,
    );
    const policy = new Policy([ALLOW, { name: 'amount', perCall: true, evaluate }]);
    const contract = contractOf({});
    expect(policy.maySee(caller, contract)).toBe(true);
    expect(evaluate).not.toHaveBeenCalled();
    const effectOf = (amount: number) =>
      policy.decide(caller, contract, { args: { amount }, environment: { at: 0, transport: 'stdio' } }).call
        .effect;
    expect([effectOf(7), effectOf(6), effectOf(7)]).toEqual(['deny', 'allow', 'deny']);
  });
});
