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

/** The public codes. A change here breaks callers, which branch on the codes and not on the messages. */
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
  CANCELLED: ['CANCELLED', 'CANCELLED', 499, false],
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
  ['INVALID_INPUT', 'upstream', 'ARGS_INVALID', 'INVALID_INPUT', 422, false],
  ['INVALID_INPUT', 'path', 'PATH_INVALID', 'INVALID_INPUT', 422, false],
  ['INVALID_INPUT', 'view', 'VIEW_FAILED', 'INVALID_INPUT', 422, false],
  ['TOOL_NOT_FOUND', 'upstream', 'HYDRATE_FAILED', 'NOT_FOUND', 404, false],
  ['TOOL_NOT_FOUND', 'path', 'PATH_NOT_FOUND', 'NOT_FOUND', 404, false],
  ['TOOL_NOT_FOUND', 'view', 'VIEW_FAILED', 'NOT_FOUND', 404, false],
  ['TOOL_NOT_FOUND', 'resource', 'RESOURCE_NOT_FOUND', 'NOT_FOUND', 404, false],
  ['TOOL_NOT_FOUND', 'prompt', 'PROMPT_NOT_FOUND', 'NOT_FOUND', 404, false],
  ['AUTHORIZATION_DENIED', 'policy', 'POLICY_DENIED', 'FORBIDDEN', 403, false],
  ['CANCELLED', 'shutdown', 'CANCELLED', 'CANCELLED', 503, true],
  ['UPSTREAM_UNAVAILABLE', 'store', 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE', 503, true],
  ['UPSTREAM_FAILURE', 'tool', 'UPSTREAM_ERROR', 'MCP_TOOL_ERROR', 502, false],
  ['CONFLICT', 'other_arguments', 'CONFLICT', 'CONFLICT', 409, false],
  ['CONFLICT', 'unknown', 'CONFLICT', 'CONFLICT', 409, false],
];

const everyVariant = ERROR_CODES.flatMap((code) =>
  Object.keys(ERROR_CATALOGUE[code].variants ?? {}).map((variant) => [code, variant] as const),
);
const everyDescription: readonly ErrorDescription[] = [
  ...ERROR_CODES.map((code) => describeError(code)),
  ...everyVariant.map(([code, variant]) => describeError(code, variant)),
];

function rowOf({ gateway, operations, httpStatus, retryable }: ErrorDescription): Row {
  return [gateway, operations, httpStatus, retryable];
}

describe('ERROR_CATALOGUE', () => {
  it('contains exactly these codes, in this order', () => {
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
      'CANCELLED',
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

  it.each(ERROR_CODES)('%s has its pinned code on every surface', (code) => {
    expect(rowOf(describeError(code))).toEqual(PINNED[code]);
  });

  it('contains exactly these variants', () => {
    const actual = everyVariant.map(([code, variant]) => [
      code,
      variant,
      ...rowOf(describeError(code, variant)),
    ]);
    expect(actual).toEqual(PINNED_VARIANTS);
  });

  it('has codes, a meaning and a next step for every code and variant', () => {
    expect(everyDescription).toHaveLength(ERROR_CODES.length + PINNED_VARIANTS.length);
    for (const description of everyDescription) {
      expect(Object.keys(description).sort()).toEqual([
        'gateway',
        'httpStatus',
        'meaning',
        'next',
        'operations',
        'retryable',
      ]);
      expect(description.gateway).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
      expect(description.operations).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
      for (const sentence of [description.meaning, description.next])
        expect(sentence).toMatch(/^[A-Z][^\n]{5,250}\.$/);
    }
  });

  it.each(everyVariant)(
    '%s/%s does not inherit the meaning or the next step of its code',
    (code, variant) => {
      expect(describeError(code, variant).meaning).not.toBe(describeError(code).meaning);
      expect(describeError(code, variant).next).not.toBe(describeError(code).next);
    },
  );

  it('has every code of the gateway surface', () => {
    const codes = new Set(everyDescription.map(({ gateway }) => gateway));
    const documented = [
      // The twelve codes of the wire contract.
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
      // Additional codes.
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
    expect(documented.filter((code) => !codes.has(code))).toEqual([]);
    expect([...codes].filter((code) => !documented.includes(code)).sort()).toEqual([
      'AUTH_REQUIRED',
      'CANCELLED',
      'COMPOSITE_PARTIAL_FAILURE',
      'RETRY_EXHAUSTED',
    ]);
  });

  it('marks only temporary failures as retryable', () => {
    expect(ERROR_CODES.filter((code) => describeError(code).retryable)).toEqual([
      'RATE_LIMITED',
      'DEADLINE_EXCEEDED',
      'UPSTREAM_UNAVAILABLE',
      'CONFLICT',
    ]);
  });
});

describe('describeError', () => {
  it('takes the fields of the variant, and the other fields of the code', () => {
    const { meaning, next, ...codes } = describeError('TOOL_NOT_FOUND');
    const variant = describeError('TOOL_NOT_FOUND', 'resource');
    expect(variant).toMatchObject({ ...codes, gateway: 'RESOURCE_NOT_FOUND' });
    expect(variant.meaning).not.toBe(meaning);
    expect(variant.next).not.toBe(next);
  });

  it.each([undefined, '', 'no-such-variant', 'gateway', 'constructor', '__proto__', 'toString'])(
    'describes the code itself for the unknown variant %j',
    (variant) => {
      const { variants, ...plain } = ERROR_CATALOGUE.INVALID_INPUT;
      expect(variants).toHaveProperty('path');
      expect(describeError('INVALID_INPUT', variant)).toStrictEqual(plain);
      expect(describeError('SCHEMA_INVALID', variant)).toStrictEqual({ ...ERROR_CATALOGUE.SCHEMA_INVALID });
    },
  );

  it('returns a copy, so that the catalogue cannot be changed', () => {
    const description: { gateway: string } = describeError('CONFLICT');
    description.gateway = 'EDITED';
    expect(describeError('CONFLICT').gateway).toBe('CONFLICT');
  });
});

describe('Fault', () => {
  it('has a code, a variant, details and a public message', () => {
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

  it('has the time to wait before a retry', () => {
    expect(new Fault('RATE_LIMITED', 'Too many calls.', { retryAfterMs: 1_500 }).retryAfterMs).toBe(1_500);
  });

  it.each(ERROR_CODES)('%s is retryable as in the catalogue', (code) => {
    expect(new Fault(code, 'No.').retryable).toBe(PINNED[code][3]);
  });

  it('is retryable as its variant', () => {
    expect(new Fault('DEADLINE_EXCEEDED', 'Too slow.').retryable).toBe(true);
    expect(new Fault('CANCELLED', 'Stopped.', { variant: 'shutdown' }).retryable).toBe(true);
  });

  it('does not expose the private cause in its message or JSON', () => {
    const cause = new Error('connect ECONNREFUSED db.internal token=s3cret');
    const fault = new Fault('UPSTREAM_UNAVAILABLE', 'The upstream is not reachable.', { cause });
    expect(fault.cause).toBe(cause);
    for (const text of [fault.message, String(fault), JSON.stringify(fault), JSON.stringify({ ...fault })]) {
      expect(text).not.toContain('s3cret');
    }
    expect(Object.keys(fault)).not.toContain('cause');
  });

  it('accepts only the variants of its code', () => {
    // @ts-expect-error `path` is a variant of another code.
    expect(new Fault('CONFLICT', 'Taken.', { variant: 'path' }).variant).toBe('path');
    // @ts-expect-error `resource` is a variant of another code.
    expect(new Fault('INVALID_INPUT', 'No.', { variant: 'resource' }).retryable).toBe(false);
    // @ts-expect-error a code of a surface is not a catalogue code.
    expect(() => new Fault('ARGS_INVALID', 'No.').retryable).toThrow(TypeError);
  });
});

describe('Fault.with', () => {
  it('changes the effect and keeps everything else', () => {
    const cause = new Error('private');
    const fault = new Fault('CONFLICT', 'Taken.', {
      variant: 'unknown',
      details: { unresolved_call: 'c' },
      retryAfterMs: 40,
      cause,
    });
    const changed = fault.with({ effect: 'none' });
    expect(changed).toBeInstanceOf(Fault);
    expect({ ...changed, message: changed.message, cause: changed.cause }).toEqual({
      ...fault,
      message: 'Taken.',
      cause,
      effect: 'none',
    });
    expect(changed.with({ effect: 'none' })).toBe(changed);
    expect(changed.with({ effect: 'unknown' }).effect).toBe('unknown');
  });
});
