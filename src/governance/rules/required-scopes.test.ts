import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractOf } from '../../../test/recording-deps.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import type { Authorization } from '../../contract/tool/tool.ts';
import { requiredScopes } from './required-scopes.ts';

function evaluate(
  scopes: readonly string[],
  authorization: Omit<Authorization, 'credential'>,
): ReturnType<typeof requiredScopes.evaluate> {
  const contract = contractOf({ declared: { authorization: { ...authorization, credential: 'none' } } });
  return requiredScopes.evaluate({ principal: { ...LOCAL_USER, scopes }, contract });
}

describe('requiredScopes', () => {
  it.each([
    ['no scope is required', [], { requiredScopes: [] }, 'the tool requires no scope'],
    [
      'the caller holds all required scopes',
      ['a', 'b', 'c'],
      { requiredScopes: ['a', 'c'] },
      'the caller holds the scopes',
    ],
    [
      'the caller holds one of the alternatives',
      ['b'],
      { requiredScopes: [], requiredScopesAny: ['a', 'b'] },
      'the caller holds the scopes',
    ],
  ])('allows the call where %s', (_, scopes, authorization, text) => {
    expect(evaluate(scopes, authorization)).toEqual({ effect: 'allow', text });
  });

  it.each([
    [
      'several scopes are missing, and names them all',
      ['a'],
      { requiredScopes: ['a', 'b', 'c'] },
      'missing required scope: b, c',
    ],
    [
      'none of the alternatives is held',
      ['c'],
      { requiredScopes: [], requiredScopesAny: ['a', 'b'] },
      'one of these scopes is required: a, b',
    ],
    [
      'the list of alternatives is empty',
      ['a'],
      { requiredScopes: [], requiredScopesAny: [] },
      'one of these scopes is required: (none is enough)',
    ],
    [
      'only one of the two lists is satisfied',
      ['b'],
      { requiredScopes: ['a'], requiredScopesAny: ['b'] },
      'missing required scope: a',
    ],
    [
      'the caller holds a wildcard',
      ['tools:*', '*'],
      { requiredScopes: ['tools:read'] },
      'missing required scope: tools:read',
    ],
    [
      'the caller holds a prefix of the scope',
      ['tools'],
      { requiredScopes: ['tools:read'] },
      'missing required scope: tools:read',
    ],
    [
      'the scope differs in case',
      ['Tools:Read'],
      { requiredScopes: ['tools:read'] },
      'missing required scope: tools:read',
    ],
  ])('denies the call where %s', (_, scopes, authorization, text) => {
    expect(evaluate(scopes, authorization)).toEqual({ effect: 'deny', text });
  });

  it('denies exactly the calls whose required scopes the caller does not hold', () => {
    const anyScopes = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    fc.assert(
      fc.property(anyScopes, anyScopes, fc.option(anyScopes, { nil: undefined }), (held, all, any) => {
        const covers =
          all.every((scope) => held.includes(scope)) &&
          (any === undefined || any.some((scope) => held.includes(scope)));
        const decision = evaluate(held, { requiredScopes: all, ...(any && { requiredScopesAny: any }) });
        expect(decision?.effect).toBe(covers ? 'allow' : 'deny');
      }),
    );
  });
});
