import { describe, expect, it } from 'vitest';
import type { ToolNames } from '../../catalog/tool-keys.ts';
import type { ToolOverrides } from '../config/tool-overrides.ts';
import { overridesFinder, type ToolSwitches } from './find-overrides.ts';

function tool(name: string, id = `ours:${name}@1.0.0`): ToolNames {
  return { id, namespace: 'ours', name, upstreamName: name };
}

function finder(tools: Readonly<Record<string, ToolOverrides>>, switches?: ToolSwitches) {
  return overridesFinder(tools, 'ours', switches);
}

describe('overridesFinder', () => {
  it('takes each term from the most specific key that states it', () => {
    const find = finder({
      'ours:a@1.0.0': { timeoutClass: 'interactive' },
      'ours:a': { timeoutClass: 'standard', idempotency: { key: 'required' } },
      'ours:*': {
        timeoutClass: 'async',
        mutation: 'read_only',
        idempotency: { key: 'optional', windowMs: 7 },
      },
      'theirs:*': { labels: { team: 'x' } },
    });
    expect(find(tool('a'))).toEqual({
      declared: {
        timeoutClass: 'interactive',
        mutation: 'read_only',
        idempotency: { key: 'required', windowMs: 7 },
      },
    });
    expect(find(tool('b')).declared).toMatchObject({ timeoutClass: 'async' });
  });

  it('carries every term of the config into the contract', () => {
    const cost = { perCall: 2, tokens: 10 };
    const sideEffects = [{ resource: 'file', action: 'DELETE', scope: 'one' }] as const;
    const errors = [{ code: 'BUSY', description: 'Try later.', httpStatus: 503, retryable: true }];
    const find = finder({
      'ours:a': {
        expose: 'internal',
        version: '2.0.0',
        requiredScopes: ['files:write'],
        requiredScopesAny: ['a', 'b'],
        credential: 'gateway',
        idempotent: true,
        idempotencyKeyArgument: 'key',
        sideEffects: [...sideEffects],
        errors,
        labels: { team: 'x' },
        cost,
        examples: ['do a'],
        verify: { integrity: [] },
      },
    });
    expect(find(tool('a'))).toEqual({
      visibility: 'internal',
      version: '2.0.0',
      declared: {
        authorization: {
          requiredScopes: ['files:write'],
          requiredScopesAny: ['a', 'b'],
          credential: 'gateway',
        },
        idempotent: true,
        idempotencyKeyArgument: 'key',
        sideEffects,
        errors,
        labels: { team: 'x' },
        cost,
        examples: [{ query: 'do a' }],
        verification: { integrity: [] },
      },
    });
  });

  it('states nothing about a tool that no key matches', () => {
    expect(finder({ 'ours:b': { enabled: false } })(tool('a'))).toEqual({});
  });

  it('finds a tool under both of its ids', () => {
    const find = finder({
      'ours:a#12345678': { expose: 'internal' },
      'ours:a@2.0.0': { mutation: 'read_only' },
    });
    expect(find(tool('a', 'ours:a#12345678'), tool('a', 'ours:a@2.0.0'))).toEqual({
      visibility: 'internal',
      declared: { mutation: 'read_only' },
    });
  });

  it.each<[string, Record<string, ToolOverrides>, ToolSwitches | undefined, string | undefined]>([
    ['its name', { 'ours:a': { enabled: false } }, undefined, 'switched off by tools."ours:a"'],
    ['a pattern', { '*:a': { enabled: false } }, undefined, 'switched off by tools."*:a"'],
    [
      'a pattern, but on by its name',
      { 'ours:*': { enabled: false }, 'ours:a': { enabled: true } },
      undefined,
      undefined,
    ],
    ['deny', {}, { deny: ['a*'] }, 'switched off by tools.deny of upstream ours'],
    [
      'deny, also where allow names it',
      {},
      { allow: ['a'], deny: ['a'] },
      'switched off by tools.deny of upstream ours',
    ],
    [
      'allow without it',
      {},
      { allow: ['b'], deny: [] },
      'switched off: tools.allow of upstream ours does not name it',
    ],
    [
      'deny, also where tools enables it',
      { 'ours:a': { enabled: true } },
      { deny: ['a'] },
      'switched off by tools.deny of upstream ours',
    ],
  ])('knows that a tool is off by %s', (_, tools, switches, off) => {
    expect(finder(tools, switches)(tool('a')).off).toBe(off);
  });
});
