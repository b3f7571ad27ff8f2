import { describe, expect, it } from 'vitest';
import {
  describeError,
  ERROR_CATALOGUE,
  ERROR_CODES,
  type ErrorCode,
  type ErrorDescription,
} from './catalogue.ts';
import { Fault } from './fault.ts';

type Row = readonly [gateway: string, operations: string, httpStatus: number, retryable: boolean];

/** The public words. A change here breaks callers: they branch on these, not on the sentences. */
const PINNED: Readonly<Record<ErrorCode, Row>> = {
  INVALID_INPUT: ['ARGS_INVALID', 'INVALID_INPUT', 422, false],
  SCHEMA_INVALID: ['SCHEMA_INVALID', 'INTERNAL', 500, false],
  TOOL_NOT_FOUND: ['HYDRATE_FAILED', 'NOT_FOUND', 404, false],
  WRONG_OPERATION_TYPE: ['ARGS_INVALID', 'INVALID_OPERATION_TYPE', 400, false],
  AUTHENTICATION_REQUIRED: ['AUTH_REQUIRED', 'FORBIDDEN', 401, false],
  AUTHORIZATION_DENIED: ['PERMISSION_DENIED', 'FORBIDDEN', 403, false],
  APPROVAL_REQUIRED: ['APPROVAL_REQUIRED', 'APPROVAL_REQUIRED', 202, false],
  RATE_LIMITED: ['RATE_LIMITED', 'RATE_LIMITED', 429, true],
  DEADLINE_EXCEEDED: ['UPSTREAM_TIMEOUT', 'TIMEOUT', 504, true],
  UPSTREAM_UNAVAILABLE: ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE', 503, true],
  UPSTREAM_AUTH_FAILED: ['AUTH_FAILED', 'UPSTREAM_AUTH_FAILED', 502, false],
  UPSTREAM_FAILURE: ['UPSTREAM_ERROR', 'UPSTREAM_FAILURE', 502, false],
  PRECONDITION_FAILED: ['PRECONDITION_FAILED', 'PRECONDITION_FAILED', 412, false],
  CONFLICT: ['CONFLICT', 'CONFLICT', 409, true],
  RESOURCE_EXHAUSTED: ['RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED', 507, false],
  TOOL_QUARANTINED: ['TOOL_QUARANTINED', 'TOOL_QUARANTINED', 423, false],
  TOOL_DEPRECATED: ['TOOL_DEPRECATED', 'TOOL_DEPRECATED', 410, false],
  COMPOSITE_PARTIAL_FAILURE: ['COMPOSITE_PARTIAL_FAILURE', 'COMPOSITE_PARTIAL_FAILURE', 502, false],
  RETRY_EXHAUSTED: ['RETRY_EXHAUSTED', 'RETRY_EXHAUSTED', 502, false],
  INTERNAL_TOOL_ERROR: ['UPSTREAM_ERROR', 'INTERNAL', 500, false],
};

const PINNED_VARIANTS: readonly (readonly [ErrorCode, string, ...Row])[] = [
  ['INVALID_INPUT', 'unparsable', 'ARGS_INVALID', 'INVALID_INPUT', 400, false],
  ['INVALID_INPUT', 'oversized', 'ARGS_INVALID', 'INVALID_INPUT', 413, false],
  ['INVALID_INPUT', 'path', 'PATH_INVALID', 'INVALID_INPUT', 422, false],
  ['INVALID_INPUT', 'view', 'VIEW_FAILED', 'INVALID_INPUT', 422, false],
  ['TOOL_NOT_FOUND', 'path', 'PATH_NOT_FOUND', 'NOT_FOUND', 404, false],
  ['TOOL_NOT_FOUND', 'view', 'VIEW_FAILED', 'NOT_FOUND', 404, false],
  ['TOOL_NOT_FOUND', 'resource', 'RESOURCE_NOT_FOUND', 'NOT_FOUND', 404, false],
  ['TOOL_NOT_FOUND', 'prompt', 'PROMPT_NOT_FOUND', 'NOT_FOUND', 404, false],
  ['AUTHORIZATION_DENIED', 'policy', 'POLICY_DENIED', 'FORBIDDEN', 403, false],
  ['DEADLINE_EXCEEDED', 'cancelled', 'UPSTREAM_TIMEOUT', 'TIMEOUT', 504, false],
  ['UPSTREAM_FAILURE', 'tool', 'UPSTREAM_ERROR', 'MCP_TOOL_ERROR', 502, false],
  ['CONFLICT', 'other_arguments', 'CONFLICT', 'CONFLICT', 409, false],
  ['CONFLICT', 'unknown', 'CONFLICT', 'CONFLICT', 409, false],
];

const everyVariant = ERROR_CODES.flatMap((code) =>
  Object.keys(ERROR_CATALOGUE[code].variants ?? {}).map((variant) => [code, variant] as const),
);
const everyForms: readonly ErrorDescription[] = [
  ...ERROR_CODES.map((code) => describeError(code)),
  ...everyVariant.map(([code, variant]) => describeError(code, variant)),
];

function rowOf({ gateway, operations, httpStatus, retryable }: ErrorDescription): Row {
  return [gateway, operations, httpStatus, retryable];
}

describe('the error catalogue', () => {
  it('holds these codes and no others, in this order', () => {
    expect(ERROR_CODES).toEqual([
      'INVALID_INPUT',
      'SCHEMA_INVALID',
      'TOOL_NOT_FOUND',
      'WRONG_OPERATION_TYPE',
      'AUTHENTICATION_REQUIRED',
      'AUTHORIZATION_DENIED',
      'APPROVAL_REQUIRED',
      'RATE_LIMITED',
      'DEADLINE_EXCEEDED',
      'UPSTREAM_UNAVAILABLE',
      'UPSTREAM_AUTH_FAILED',
      'UPSTREAM_FAILURE',
      'PRECONDITION_FAILED',
      'CONFLICT',
      'RESOURCE_EXHAUSTED',
      'TOOL_QUARANTINED',
      'TOOL_DEPRECATED',
      'COMPOSITE_PARTIAL_FAILURE',
      'RETRY_EXHAUSTED',
      'INTERNAL_TOOL_ERROR',
    ]);
    expect(Object.keys(ERROR_CATALOGUE)).toEqual(ERROR_CODES);
  });

  it.each(ERROR_CODES)('%s has its pinned word on every surface', (code) => {
    expect(rowOf(describeError(code))).toEqual(PINNED[code]);
  });

  it('holds these variants and no others', () => {
    const actual = everyVariant.map(([code, variant]) => [
      code,
      variant,
      ...rowOf(describeError(code, variant)),
    ]);
    expect(actual).toEqual(PINNED_VARIANTS);
  });

  it('has words for a program and sentences for a reader in every form', () => {
    expect(everyForms).toHaveLength(ERROR_CODES.length + PINNED_VARIANTS.length);
    for (const forms of everyForms) {
      expect(Object.keys(forms).sort()).toEqual([
        'gateway',
        'httpStatus',
        'meaning',
        'next',
        'operations',
        'retryable',
      ]);
      expect(forms.gateway).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
      expect(forms.operations).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
      for (const sentence of [forms.meaning, forms.next]) expect(sentence).toMatch(/^[A-Z][^\n]{5,250}\.$/);
    }
  });

  it('has every word that the gateway surface promises', () => {
    const words = new Set(everyForms.map((forms) => forms.gateway));
    const promised = [
      // The wire contract's twelve.
      'PATH_INVALID',
      'PATH_NOT_FOUND',
      'ARGS_INVALID',
      'SCHEMA_INVALID',
      'UPSTREAM_ERROR',
      'UPSTREAM_TIMEOUT',
      'UPSTREAM_UNAVAILABLE',
      'AUTH_FAILED',
      'PERMISSION_DENIED',
      'RATE_LIMITED',
      'HYDRATE_FAILED',
      'VIEW_FAILED',
      // Ours beyond them.
      'POLICY_DENIED',
      'APPROVAL_REQUIRED',
      'CONFLICT',
      'PRECONDITION_FAILED',
      'RESOURCE_EXHAUSTED',
      'RESOURCE_NOT_FOUND',
      'PROMPT_NOT_FOUND',
      'TOOL_QUARANTINED',
      'TOOL_DEPRECATED',
    ];
    expect(promised.filter((word) => !words.has(word))).toEqual([]);
    expect([...words].filter((word) => !promised.includes(word)).sort()).toEqual([
      'AUTH_REQUIRED',
      'COMPOSITE_PARTIAL_FAILURE',
      'RETRY_EXHAUSTED',
    ]);
  });

  it('calls an error retryable where the transport may heal, the limit may lapse or the rival may finish', () => {
    expect(ERROR_CODES.filter((code) => describeError(code).retryable)).toEqual([
      'RATE_LIMITED',
      'DEADLINE_EXCEEDED',
      'UPSTREAM_UNAVAILABLE',
      'CONFLICT',
    ]);
  });
});

describe('formsOf', () => {
  it('lets a variant replace what it names and keep the rest', () => {
    const { meaning, ...bare } = describeError('TOOL_NOT_FOUND');
    const { meaning: meaningThere, ...there } = describeError('TOOL_NOT_FOUND', 'resource');
    expect(there).toEqual({ ...bare, gateway: 'RESOURCE_NOT_FOUND' });
    expect(meaningThere).not.toBe(meaning);
  });

  it.each([undefined, '', 'no-such-variant', 'gateway', 'constructor', '__proto__', 'toString'])(
    'answers with the plain forms for the variant %j',
    (variant) => {
      const { variants, ...plain } = ERROR_CATALOGUE.INVALID_INPUT;
      expect(variants).toHaveProperty('path');
      expect(describeError('INVALID_INPUT', variant)).toStrictEqual(plain);
      expect(describeError('SCHEMA_INVALID', variant)).toStrictEqual({ ...ERROR_CATALOGUE.SCHEMA_INVALID });
    },
  );

  it('hands out copies: nobody can edit the catalogue through them', () => {
    const forms: { gateway: string } = describeError('CONFLICT');
    forms.gateway = 'EDITED';
    expect(describeError('CONFLICT').gateway).toBe('CONFLICT');
  });
});

describe('Fault', () => {
  it('carries its code, its circumstances and its public text', () => {
    const fault = new Fault('INVALID_INPUT', 'The path has an empty segment.', {
      variant: 'path',
      details: { path: '//x' },
    });
    expect(fault).toBeInstanceOf(Error);
    expect(fault.name).toBe('Fault');
    expect(fault).toMatchObject({ code: 'INVALID_INPUT', variant: 'path', details: { path: '//x' } });
    expect(fault.message).toBe('The path has an empty segment.');
    expect(fault.retryAfterMs).toBeUndefined();
    expect(fault.cause).toBeUndefined();
  });

  it('says when to come back', () => {
    expect(new Fault('RATE_LIMITED', 'Too many calls.', { retryAfterMs: 1_500 }).retryAfterMs).toBe(1_500);
  });

  it.each(ERROR_CODES)('%s is retryable as the catalogue says', (code) => {
    expect(new Fault(code, 'No.').retryable).toBe(PINNED[code][3]);
  });

  it('is retryable as its variant says', () => {
    expect(new Fault('DEADLINE_EXCEEDED', 'Too slow.').retryable).toBe(true);
    expect(new Fault('DEADLINE_EXCEEDED', 'Cancelled.', { variant: 'cancelled' }).retryable).toBe(false);
  });

  it('keeps the private cause apart from everything that a caller gets to see', () => {
    const cause = new Error('connect ECONNREFUSED db.internal token=s3cret');
    const fault = new Fault('UPSTREAM_UNAVAILABLE', 'The upstream is not reachable.', { cause });
    expect(fault.cause).toBe(cause);
    for (const text of [fault.message, String(fault), JSON.stringify(fault), JSON.stringify({ ...fault })]) {
      expect(text).not.toContain('s3cret');
    }
    expect(Object.keys(fault)).not.toContain('cause');
  });

  it('takes only the variants of its code', () => {
    // @ts-expect-error CONFLICT has no variants.
    expect(new Fault('CONFLICT', 'Taken.', { variant: 'path' }).variant).toBe('path');
    // @ts-expect-error `resource` is a variant of another code.
    expect(new Fault('INVALID_INPUT', 'No.', { variant: 'resource' }).retryable).toBe(false);
    // @ts-expect-error a word of a surface is no code.
    expect(() => new Fault('ARGS_INVALID', 'No.').retryable).toThrow(TypeError);
  });
});

describe('a fault of which more is known', () => {
  it('is the same in every other respect', () => {
    const cause = new Error('private');
    const fault = new Fault('CONFLICT', 'Taken.', {
      variant: 'unknown',
      details: { unresolved_call: 'c' },
      retryAfterMs: 40,
      cause,
    });
    const known = fault.with({ effect: 'none' });
    expect(known).toBeInstanceOf(Fault);
    expect({ ...known, message: known.message, cause: known.cause }).toEqual({
      ...fault,
      message: 'Taken.',
      cause,
      effect: 'none',
    });
    expect(known.with({ effect: 'none' })).toBe(known);
    expect(known.with({ effect: 'unknown' }).effect).toBe('unknown');
  });
});
