import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractOf } from '../../../test/recording-deps.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';
import type { Authorization } from '../../contract/tool/tool.ts';
import { requiredScopes } from './required-scopes.ts';

function judge(
  scopes: readonly string[],
  authorization: Omit<Authorization, 'credential'>,
): ReturnType<typeof requiredScopes.evaluate> {
  const contract = contractOf({ declared: { authorization: { ...authorization, credential: 'none' } } });
  return requiredScopes.evaluate({ principal: { ...LOCAL_USER, scopes }, contract });
}

describe('required scopes', () => {
  it.each([
    ['nothing is required', [], { requiredScopes: [] }, 'the tool requires no scope'],
    ['all are held', ['a', 'b', 'c'], { requiredScopes: ['a', 'c'] }, 'the caller holds the scopes'],
    [
      'one of several is held',
      ['b'],
      { requiredScopes: [], requiredScopesAny: ['a', 'b'] },
      'the caller holds the scopes',
    ],
  ])('allow where %s', (_, scopes, authorization, text) => {
    expect(judge(scopes, authorization)).toEqual({ effect: 'allow', text });
  });

  it.each([
    ['names every missing one', ['a'], { requiredScopes: ['a', 'b', 'c'] }, 'missing required scope: b, c'],
    [
      'one of several',
      ['c'],
      { requiredScopes: [], requiredScopesAny: ['a', 'b'] },
      'one of these scopes is required: a, b',
    ],
    [
      'an empty list, everyone',
      ['a'],
      { requiredScopes: [], requiredScopesAny: [] },
      'one of these scopes is required: (none is enough)',
    ],
    [
      'both lists must hold',
      ['b'],
      { requiredScopes: ['a'], requiredScopesAny: ['b'] },
      'missing required scope: a',
    ],
    [
      'no wildcards',
      ['tools:*', '*'],
      { requiredScopes: ['tools:read'] },
      'missing required scope: tools:read',
    ],
    ['no prefixes', ['tools'], { requiredScopes: ['tools:read'] }, 'missing required scope: tools:read'],
    [
      'no folding of case',
      ['Tools:Read'],
      { requiredScopes: ['tools:read'] },
      'missing required scope: tools:read',
    ],
  ])('deny: %s', (_, scopes, authorization, text) => {
    expect(judge(scopes, authorization)).toEqual({ effect: 'deny', text });
  });

  it('deny exactly where the caller does not cover what the tool requires', () => {
    const some = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    fc.assert(
      fc.property(some, some, fc.option(some, { nil: undefined }), (held, all, any) => {
        const covers =
          all.every((scope) => held.includes(scope)) &&
          (any === undefined || any.some((scope) => held.includes(scope)));
        const judged = judge(held, { requiredScopes: all, ...(any && { requiredScopesAny: any }) });
        expect(judged?.effect).toBe(covers ? 'allow' : 'deny');
      }),
    );
  });
});
