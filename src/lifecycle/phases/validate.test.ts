import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, send } from '../../../test/recording-deps.ts';
import type { JsonObject } from '../../base/json/json.ts';
import type { SchemaViolation } from '../../catalog/schema/violation.ts';
import type { CallError } from '../../contract/call/outcome.ts';
import { LOCAL_USER } from '../../contract/call/principal.ts';

const DECLARED = {
  timeoutClass: 'standard',
  authorization: { requiredScopes: ['s'], credential: 'gateway' },
} as const;

interface Refusal extends CallError {
  readonly details: {
    readonly errors: readonly SchemaViolation[];
    readonly errors_in_all?: number;
    readonly signature: string;
  };
}

/** Validates arguments with a whole call. Returns the error, or undefined where the arguments are valid. */
async function validate(inputSchema: object, args: unknown): Promise<Refusal | undefined> {
  const { deps, calls } = recordingDeps({ tools: [{ ...ECHO, inputSchema }] });
  const outcome = await send(deps, { args });
  if (outcome.status === 'ok') {
    expect(calls[0]!.args).toEqual(args);
    return undefined;
  }
  expect(calls).toHaveLength(0);
  if (outcome.status !== 'failed' || outcome.error.code !== 'INVALID_INPUT')
    throw new Error(`Unexpected outcome: ${JSON.stringify(outcome)}`);
  return outcome.error as Refusal;
}

const ISSUE = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 3 },
    labels: { type: 'array', items: { type: 'string' } },
    state: { enum: ['open', 'closed'] },
    owner: {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: false,
    },
  },
  required: ['title'],
};

describe('validateCall with invalid arguments', () => {
  it('reports every violation and the signature', async () => {
    const refusal = await validate(ISSUE, {
      labels: ['a', 1, null],
      state: 'ajar',
      owner: { id: 'x', extra: 1 },
      colour: 'red',
      size: 1,
    });
    expect(refusal!.details.errors).toEqual(
      expect.arrayContaining([
        { path: '/', rule: 'additionalProperties', expected: 'no property "colour"' },
        { path: '/', rule: 'additionalProperties', expected: 'no property "size"' },
        { path: '/', rule: 'required', expected: 'property "title"' },
        { path: '/labels/1', rule: 'type', expected: 'string' },
        { path: '/labels/2', rule: 'type', expected: 'string' },
        { path: '/state', rule: 'enum', expected: 'one of ["open","closed"]' },
        { path: '/owner/id', rule: 'type', expected: 'integer' },
        { path: '/owner', rule: 'additionalProperties', expected: 'no property "extra"' },
      ]),
    );
    expect(refusal!.details.errors).toHaveLength(8);
    expect(refusal!.message).toMatch(/ \(and 7 more\)\.$/);
    expect(refusal!.details.signature).toBe(
      'echo(title: string, labels?: string[], state?: "open"|"closed", owner?: {id: integer})',
    );
    expect(refusal!.details.errors_in_all).toBeUndefined();
  });

  it('does not coerce types', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' }, yes: { type: 'boolean' } } };
    expect((await validate(schema, { n: '7', yes: 'true' }))!.details.errors).toHaveLength(2);
    expect(await validate(schema, { n: 7, yes: true })).toBeUndefined();
  });

  it('reports the first fifty of many violations, and their number', async () => {
    const refusal = await validate(ISSUE, { title: 'abc', labels: Array.from({ length: 200 }, () => 0) });
    expect(refusal!.details.errors).toHaveLength(50);
    expect(refusal!.details.errors_in_all).toBe(200);
  });

  it('reports only the first violation of very large arguments', async () => {
    const refusal = await validate(ISSUE, { title: 'abc', labels: Array.from({ length: 30_000 }, () => 0) });
    expect(refusal!.details.errors).toEqual([{ path: '/labels/0', rule: 'type', expected: 'string' }]);
  });

  it.each([null, [], [{}], 'text', 7, true, undefined])(
    'refuses arguments that are not an object: %j',
    async (args) => {
      expect((await validate(ISSUE, args))!.details.errors).toEqual([
        { path: '/', rule: 'type', expected: 'object' },
      ]);
    },
  );
});

describe('validateCall with unknown properties', () => {
  it.each([
    ['a schema with an empty list of properties', { type: 'object', properties: {} }],
    [
      'a schema without properties, with additionalProperties: false',
      { type: 'object', additionalProperties: false },
    ],
    ['a schema with properties', { type: 'object', properties: { a: {} } }],
    [
      'a schema with additionalProperties: false',
      { type: 'object', properties: { a: {} }, additionalProperties: false },
    ],
    ['a schema with a pattern for other names', { type: 'object', patternProperties: { '^x-': {} } }],
  ])('refuses them under %s', async (_, schema) => {
    const refusal = await validate(schema, { invented: 1 });
    expect(refusal!.details.errors).toEqual([
      { path: '/', rule: 'additionalProperties', expected: 'no property "invented"' },
    ]);
  });

  it.each([
    ['without a list of properties', { type: 'object' }],
    ['with additionalProperties: true', { type: 'object', additionalProperties: true }],
    ['with a schema for additional properties', { type: 'object', additionalProperties: { type: 'number' } }],
    [
      'that names the property in a branch',
      { type: 'object', anyOf: [{ properties: { invented: {} } }, {}] },
    ],
    [
      'that names the property by reference',
      { $ref: '#/$defs/a', $defs: { a: { properties: { invented: {} } } } },
    ],
    ['that names the property by pattern', { type: 'object', patternProperties: { '^inv': {} } }],
  ])('accepts them under a schema %s', async (_, schema) => {
    expect(await validate(schema, { invented: 1 })).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'refuses them even if every object has such a property: %s',
    async (name) => {
      const args = JSON.parse(`{"message":"hi","${name}":1}`);
      const refusal = await validate(ECHO.inputSchema as object, args);
      expect(refusal!.details.errors).toEqual([
        { path: '/', rule: 'additionalProperties', expected: `no property "${name}"` },
      ]);
    },
  );

  it('names them on one plain line, cut to a maximum length', async () => {
    const name = `a\u001b[31m\n${'b'.repeat(500)}`;
    const [error] = (await validate({ type: 'object', properties: {} }, { [name]: 1 }))!.details.errors;
    expect(error!.expected).toMatch(/^no property "a b{61}…"$/);
  });
});

describe('validateCall errors', () => {
  const SECRET = 'sk-live-4eC39HqLyjWDarjtT1';
  // One schema for each keyword with a message of its own in ajv, because such a message could contain a value.
  const member = fc.constantFrom<object>(
    { type: 'integer' },
    { type: ['number', 'null'] },
    { enum: ['a', 'b'] },
    { const: 'a' },
    { type: 'string', pattern: '^a+$' },
    { type: 'string', maxLength: 2 },
    { type: 'string', minLength: 200 },
    { type: 'string', format: 'email' },
    { type: 'string', format: 'date-time' },
    { type: 'array', items: { type: 'integer' }, uniqueItems: true, maxItems: 1 },
    { type: 'array', contains: { type: 'integer' } },
    { type: 'array', prefixItems: [{ type: 'integer' }], items: false },
    { type: 'object', properties: { a: { type: 'integer' } }, required: ['b'], additionalProperties: false },
    { type: 'object', propertyNames: { maxLength: 1 }, minProperties: 9 },
    { type: 'object', dependentRequired: { a: ['z'] } },
    { not: {} },
    { oneOf: [{ type: 'integer' }, { type: 'boolean' }] },
    { anyOf: [{ type: 'integer' }, { const: 3 }] },
    JSON.parse('{"if":{"type":"string"},"then":{"type":"integer"},"else":false}'),
    { allOf: [{ type: 'integer' }, { minimum: 3 }] },
    false as unknown as object,
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(SECRET, `${SECRET}@example.com`, `x ${SECRET}`),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    ),
  }));

  it('never contain values of the arguments', async () => {
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('p', 'q', 'r'), member, { minKeys: 1, maxKeys: 3 }),
        fc.dictionary(fc.constantFrom('p', 'q', 'r', 's'), value, { maxKeys: 4 }),
        async (properties, args) => {
          const refusal = await validate({ type: 'object', properties }, args);
          if (refusal) refusals++;
          expect(JSON.stringify(refusal ?? {})).not.toContain('4eC39HqLyjWDarjtT1');
        },
      ),
      { numRuns: 300 },
    );
    expect(refusals).toBeGreaterThan(100);
  });

  it('never contain arguments that are a single value', async () => {
    expect(JSON.stringify(await validate(ISSUE, SECRET))).not.toContain(SECRET);
    expect(JSON.stringify(await validate(ISSUE, [SECRET]))).not.toContain(SECRET);
  });
});

describe('validateCall with tolerant argument rules', () => {
  const tools = [
    { ...ECHO, inputSchema: { type: 'object', properties: { times: { type: 'integer', default: 2 } } } },
  ];
  const tolerant = { unknown: 'refuse', tolerant: true, defaults: true } as const;

  it('sends repaired arguments, and reports the repairs in the provenance', async () => {
    const { deps, calls } = recordingDeps({ tools, argumentRules: tolerant });
    expect(await send(deps, { args: '{"times":"3"}' })).toMatchObject({
      status: 'ok',
      provenance: {
        argRepairs: [
          { path: '/', rule: 'parse_stringified_object' },
          { path: '/times', rule: 'str_to_integer' },
        ],
      },
    });
    expect(calls[0]!.args).toEqual({ times: 3 });
  });

  it('computes the same input hash for repaired and for correct arguments', async () => {
    const { deps, receipts } = recordingDeps({ tools, argumentRules: tolerant });
    await send(deps, { args: { times: '3' } });
    await send(deps, { args: { times: 3 } });
    expect(receipts[0]!.inputHash).toBe(receipts[1]!.inputHash);
  });

  it.each(['{"times":3}', { times: '3' }])(
    'refuses arguments that need a repair under strict rules: %j',
    async (args) => {
      const { deps, calls } = recordingDeps({ tools });
      expect(await send(deps, { args })).toMatchObject({ error: { code: 'INVALID_INPUT' } });
      expect(calls).toEqual([]);
    },
  );

  it.each([65, 5_000, 20_000])('refuses arguments in a string that are nested %d deep', async (depth) => {
    const { deps } = recordingDeps({ tools, argumentRules: tolerant });
    const args = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(await send(deps, { args })).toMatchObject({
      error: { code: 'INVALID_INPUT', details: { errors: [{ rule: 'depth' }] } },
    });
  });

  it('refuses arguments that cannot be repaired, without their values in the error', async () => {
    const { deps } = recordingDeps({ tools, argumentRules: tolerant });
    const outcome = await send(deps, { args: { times: 's3cret' } });
    expect(outcome).toMatchObject({ error: { code: 'INVALID_INPUT' } });
    expect(JSON.stringify(outcome)).not.toContain('s3cret');
  });
});

describe('validateCall with schema defaults', () => {
  const tools = [
    {
      ...ECHO,
      inputSchema: {
        type: 'object',
        properties: { times: { type: 'integer', default: 2 } },
        required: ['times'],
      },
    },
  ];

  it('fills in defaults before validation, and sends them', async () => {
    const { deps, calls } = recordingDeps({ tools });
    expect(await send(deps, { args: {} })).toMatchObject({ status: 'ok' });
    expect(calls[0]!.args).toEqual({ times: 2 });
  });

  it.each<[string, JsonObject]>([
    ['null for a string, as Python generates it', { type: 'string', default: null }],
    ['a value outside of the enum', { enum: ['a', 'b'], default: 'c' }],
    ['a number out of range', { type: 'integer', minimum: 1, default: 0 }],
    ['a string that does not match the pattern', { type: 'string', pattern: '^a', default: 'b' }],
    ['an object that lacks a member', { type: 'object', required: ['x'], default: {} }],
    ['a list with an invalid item', { type: 'array', items: { $ref: '#/$defs/n' }, default: ['x'] }],
    ['a value that the referenced schema refuses', { $ref: '#/$defs/n', default: 'x' }],
  ])('neither sends nor reports a default that violates its own schema: %s', async (_, member) => {
    const inputSchema = {
      type: 'object',
      $defs: { n: { type: 'number' } },
      properties: { q: { type: 'string' }, limit: { type: 'integer', default: 10 }, odd: member },
      required: ['q'],
    };
    const { deps, calls } = recordingDeps({ tools: [{ ...ECHO, inputSchema }] });
    expect(await send(deps, { args: { q: 'x' } })).toMatchObject({ status: 'ok' });
    expect(calls[0]!.args).toEqual({ q: 'x', limit: 10 });
    const refused = await send(deps, { args: { limit: 'x' } });
    expect(JSON.stringify(refused)).not.toContain('/odd');
    expect(refused).toMatchObject({
      error: { details: { errors: [{ rule: 'required' }, { path: '/limit' }] } },
    });
  });

  it('fills in no defaults where the rules disable it', async () => {
    const { deps } = recordingDeps({
      tools,
      argumentRules: { unknown: 'refuse', tolerant: false, defaults: false },
    });
    expect(await send(deps, { args: {} })).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  });
});

describe('validateCall with unknown properties: suggestions and pass-through', () => {
  it('suggests the closest known name', async () => {
    const refusal = await validate(ISSUE, { title: 'abc', label: ['x'], ownr: { id: 1 }, zebra: 1 });
    expect(refusal!.details.errors.map(({ expected }) => expected)).toEqual([
      'no property "label"; did you mean "labels"?',
      'no property "ownr"; did you mean "owner"?',
      'no property "zebra"',
    ]);
  });

  it('passes unknown properties on where the rules allow it', async () => {
    const { deps, calls } = recordingDeps({
      argumentRules: { unknown: 'pass', tolerant: false, defaults: true },
    });
    const args = { message: 'x', loud: true };
    expect(await send(deps, { args })).toMatchObject({ status: 'ok' });
    expect(calls[0]!.args).toEqual(args);
  });
});

describe('validateCall with a required key', () => {
  const production = { profile: 'production', tools: [{ ...ECHO, declared: DECLARED }] } as const;

  it('refuses a write without a key', async () => {
    const { deps, calls } = recordingDeps(production);
    const principal = { ...LOCAL_USER, scopes: ['s'] };
    const outcome = await send(deps, { principal });
    expect(outcome).toMatchObject({
      error: { code: 'INVALID_INPUT', message: expect.stringContaining('idempotency_key') },
    });
    expect(calls).toEqual([]);
    expect(await send(deps, { principal, idempotencyKey: 'k' })).toMatchObject({
      status: 'ok',
    });
    expect(await send(deps, { principal, dryRun: true })).toMatchObject({ status: 'dry_run' });
  });

  it('accepts a read without a key', async () => {
    const { deps } = recordingDeps({
      ...production,
      tools: [{ ...ECHO, declared: { ...DECLARED, mutation: 'read_only' } }],
    });
    expect(await send(deps, { principal: { ...LOCAL_USER, scopes: ['s'] } })).toMatchObject({
      status: 'ok',
    });
  });
});

describe('validateCall for a tool with an idempotency key argument', () => {
  const tools = [
    {
      ...ECHO,
      inputSchema: {
        type: 'object',
        properties: { request_id: { type: 'string' } },
        required: ['request_id'],
      },
      declared: { idempotencyKeyArgument: 'request_id' },
    },
  ];

  it('adds a key that is derived from the key of the call and its caller', async () => {
    const { deps, calls, receipts } = recordingDeps({ tools });
    await send(deps, { args: {}, idempotencyKey: 'k' });
    await send(deps, { args: {}, idempotencyKey: 'k', principal: { ...LOCAL_USER, id: 'other' } });
    const keys = calls.map(({ args }) => args.request_id);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[1]).not.toBe(keys[0]);
    expect(calls[0]!.idempotencyKey).toBe(keys[0]);
    expect(receipts[0]!.inputHash).toBe(receipts[1]!.inputHash);
  });

  it('keeps a value that the caller sends', async () => {
    const { deps, calls } = recordingDeps({ tools });
    await send(deps, { args: { request_id: 'mine' }, idempotencyKey: 'k' });
    expect(calls[0]!.args).toEqual({ request_id: 'mine' });
  });
});
