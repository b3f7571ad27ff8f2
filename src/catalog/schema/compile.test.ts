import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { SchemaUnusable, schemaCheck, warmUpSchemas } from './compile.ts';
import type { SchemaViolation } from './violation.ts';

warmUpSchemas();

function check(
  schema: object,
  value: unknown,
  report: 'every' | 'first' = 'every',
): readonly SchemaViolation[] {
  return schemaCheck(schema as JsonObject, report)(value);
}

const fits = (schema: object, value: unknown): boolean => check(schema, value).length === 0;
const property = (schema: unknown, extra: object = {}): object => ({
  type: 'object',
  properties: { x: schema },
  ...extra,
});

/** Bounded, on a machine that has other work to do. */
function quickly<Result>(work: () => Result): Result {
  const began = process.threadCpuUsage();
  try {
    return work();
  } finally {
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  }
}

describe('violations', () => {
  const schema = {
    type: 'object',
    properties: {
      s: { type: 'string', minLength: 2, maxLength: 4 },
      n: { type: 'number', minimum: 1, multipleOf: 0.5 },
      e: { enum: ['a', 'b', 3] },
      c: { const: { k: 1 } },
      p: { pattern: '^a+$' },
      f: { type: 'string', format: 'date' },
      u: { type: 'array', uniqueItems: true },
      o: { type: 'object', additionalProperties: false },
      v: { type: 'object', unevaluatedProperties: false },
    },
    required: ['r'],
  };

  it.each([
    [{ s: 7 }, '/s', 'type', 'string'],
    [{ s: 'a' }, '/s', 'minLength', 'NOT have fewer than 2 characters'],
    [{ s: 'abcde' }, '/s', 'maxLength', 'NOT have more than 4 characters'],
    [{ n: 0.5 }, '/n', 'minimum', '>= 1'],
    [{ n: 1.3 }, '/n', 'multipleOf', 'multiple of 0.5'],
    [{ e: 'c' }, '/e', 'enum', 'one of ["a","b",3]'],
    [{ c: {} }, '/c', 'const', '{"k":1}'],
    [{ p: 'b' }, '/p', 'pattern', 'a match of ^a+$'],
    [{ f: 'today' }, '/f', 'format', 'format date'],
    [{ u: [1, 1] }, '/u', 'uniqueItems', 'items that differ from each other'],
    [{ o: { z: 1 } }, '/o', 'additionalProperties', 'no property "z"'],
    [{ v: { z: 1 } }, '/v', 'unevaluatedProperties', 'no property "z"'],
  ])('of %j: at %s by %s expected %s', (value, path, rule, expected) => {
    expect(check(schema, { r: 1, ...value })).toEqual([{ path, rule, expected }]);
  });

  it('name a property that is missing', () => {
    expect(check(schema, {})).toEqual([{ path: '/', rule: 'required', expected: 'property "r"' }]);
  });

  it('are all told, or the first one, as asked', () => {
    const wrong = { s: 1, n: 'x', e: 0 };
    expect(check(schema, wrong, 'every').map(({ path }) => path)).toEqual(['/', '/s', '/n', '/e']);
    expect(check(schema, wrong, 'first')).toHaveLength(1);
  });

  it('never hold the value, and are clean lines of bounded length', () => {
    const secret = 'hunter2-\u001b[31m\u202e';
    const value = {
      [`key\u001b[31m\n\u202e${'k'.repeat(1_000)}`]: { deep: secret },
      ...{ s: secret, n: secret, e: secret, c: secret, p: secret, f: secret, u: [secret, secret] },
      ...{ o: { 'm\n\u202e': secret }, v: { w: secret } },
    };
    const open = {
      ...schema,
      additionalProperties: { type: 'object', properties: { deep: { type: 'number' } } },
    };
    const violations = check(open, value);
    expect(violations.length).toBeGreaterThan(9);
    expect(JSON.stringify(violations)).not.toContain('hunter2');
    for (const { path, expected } of violations) {
      expect(path.length).toBeLessThanOrEqual(200);
      expect(expected.length).toBeLessThanOrEqual(200);
      expect(path + expected).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  it('never hold any value', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), fc.integer({ min: 1 }), (noise, number) => {
        const secret = `secret${number}`;
        for (const value of [secret, [secret], { s: secret, x: [noise, secret], r: secret }]) {
          expect(JSON.stringify(check(schema, value))).not.toContain(secret);
        }
      }),
    );
  });
});

describe('patterns', () => {
  it('are each their own, in one schema and across schemas', () => {
    const two = { type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(fits(two, { a: 'a', b: 'b' })).toBe(true);
    expect(check(two, { a: 'b', b: 'a' }).map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(fits(property({ pattern: '^c$' }), { x: 'c' })).toBe(true);
    expect(fits(property({ pattern: '^c$' }), { x: 'a' })).toBe(false);
  });

  it('hold for keys', () => {
    const schema = {
      type: 'object',
      patternProperties: { '^n_': { type: 'number' } },
      additionalProperties: false,
    };
    expect(fits(schema, { n_a: 1 })).toBe(true);
    expect(check(schema, { n_a: 'x', m: 1 }).map(({ rule }) => rule)).toEqual([
      'additionalProperties',
      'type',
    ]);
  });

  it('that cannot be checked in linear time are left to the upstream', () => {
    expect(fits(property({ pattern: '^(?=b)a' }), { x: 'zzz' })).toBe(true);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a?){100}a{100}$', '.*.*=.*', '(x+x+)+y', '^(\\w+\\s?)*$'])(
    'take a time that is linear in the text: %s',
    (pattern) => {
      quickly(() => expect(fits(property({ pattern }), { x: `${'a'.repeat(5_000)}!` })).toBe(false));
      quickly(() => {
        try {
          expect(fits(property({ pattern }), { x: `${'a'.repeat(100_000)}!` })).toBe(false);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(SchemaUnusable);
        }
      });
    },
  );

  it('of great size are not run on a text of great size', () => {
    const texts = 'ab'.repeat(50_000);
    quickly(() => {
      expect(() => check(property({ pattern: 'a[ab]{900}[cd]' }), { x: texts })).toThrow(/takes too long/);
    });
  });
});

describe('references', () => {
  it.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'])(
    'to the root describe a tree, in %s',
    ($schema) => {
      const tree = {
        $schema,
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
        required: ['name'],
      };
      expect(fits(tree, { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] })).toBe(true);
      expect(check(tree, { name: 'a', children: [{ name: 'b', children: [{ name: 1 }] }] })).toEqual([
        { path: '/children/0/children/0/name', rule: 'type', expected: 'string' },
      ]);
    },
  );

  it('to definitions describe a tree', () => {
    const tree = property(
      { $ref: '#/$defs/node' },
      {
        $defs: {
          node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: { type: 'number' } } },
        },
      },
    );
    let list: object = { v: 1 };
    for (let i = 0; i < 50; i++) list = { v: 1, next: list };
    expect(fits(tree, { x: list })).toBe(true);
    expect(fits(tree, { x: { v: 1, next: { v: 'x' } } })).toBe(false);
  });

  it('to anchors and to ids are found', () => {
    const anchored = property({ $ref: '#here' }, { $defs: { a: { $anchor: 'here', type: 'number' } } });
    const embedded = property(
      { $ref: 'other#/$defs/b' },
      { $id: 'https://x.example/root', $defs: { o: { $id: 'other', $defs: { b: { type: 'number' } } } } },
    );
    for (const schema of [anchored, embedded]) {
      expect(fits(schema, { x: 1 })).toBe(true);
      expect(fits(schema, { x: 'a' })).toBe(false);
    }
  });

  it.each<[string, object]>([
    ['$dynamicRef', { $dynamicAnchor: 'node', properties: { n: { $dynamicRef: '#node' } } }],
    [
      '$recursiveRef',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        properties: { n: { $recursiveRef: '#' } },
      },
    ],
  ])('by %s describe a tree', (_, schema) => {
    const tree = { type: 'object', ...schema };
    for (const report of ['every', 'first'] as const) {
      expect(check(tree, { n: { n: {} } }, report)).toEqual([]);
      expect(check(tree, { n: { n: 7 } }, report)).toMatchObject([{ path: '/n/n', rule: 'type' }]);
    }
  });

  it('of one schema never find another that has the same ids', () => {
    const shared = (type: string): object =>
      property(
        { $ref: 'https://x.example/shared' },
        { $defs: { s: { $id: 'https://x.example/shared', type } } },
      );
    const lost = property({ $ref: 'https://x.example/shared' });
    expect(fits(shared('string'), { x: 'a' })).toBe(true);
    expect(fits(shared('number'), { x: 1 })).toBe(true);
    expect(fits(shared('number'), { x: 'a' })).toBe(false);
    expect(() => check(lost, { x: 'a' })).toThrow(SchemaUnusable);
  });

  it.each<[string, object]>([
    ['to itself', { $ref: '#' }],
    ['to itself, beside a type', { type: 'object', $ref: '#' }],
    [
      'from one to the other and back',
      property({ $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ],
    [
      'that branch for ever',
      property({ $ref: '#/$defs/n' }, { $defs: { n: { anyOf: [{ $ref: '#/$defs/n' }] } } }),
    ],
    [
      'by dynamic scope for ever',
      property(
        { $ref: '#/$defs/n' },
        { $defs: { n: { $dynamicAnchor: 'n', allOf: [{ $dynamicRef: '#n' }] } } },
      ),
    ],
    [
      'by recursion for ever',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        anyOf: [{ $recursiveRef: '#' }],
      },
    ],
  ])('in a circle that never reads the value are unusable: %s', (_, schema) => {
    for (const report of ['every', 'first'] as const) {
      quickly(() => expect(() => check(schema, { x: 1 }, report)).toThrow('its references never end'));
    }
  });

  it('that lead nowhere, or out, are unusable', () => {
    for (const $ref of ['#/$defs/none', '#none', 'http://127.0.0.1:1/x.json', 'file:///etc/passwd']) {
      expect(() => check(property({ $ref }), { x: 1 })).toThrow('it does not compile');
    }
  });
});

describe('schemas that explode', () => {
  const depth = 60;
  let deep: object = {};
  for (let i = 0; i < depth; i++) deep = { n: deep };
  const branch = { properties: { n: { $ref: '#/$defs/n' } } };

  it.each<[string, object, unknown]>([
    [
      'branches that recur and fail',
      property({ $ref: '#/$defs/n' }, { $defs: { n: { anyOf: [branch, branch], required: ['z'] } } }),
      { x: deep },
    ],
    [
      'branches that recur and hold',
      property({ $ref: '#/$defs/n' }, { $defs: { n: { allOf: [branch, branch] } } }),
      { x: deep },
    ],
    [
      'definitions that double',
      property(
        { $ref: '#/$defs/d0' },
        {
          $defs: Object.fromEntries(
            Array.from({ length: 30 }, (_, i) => [
              `d${i}`,
              i === 29
                ? { type: 'number' }
                : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
            ]),
          ),
        },
      ),
      { x: 1 },
    ],
    [
      'patterns for keys, times keys',
      { patternProperties: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`(a|b)*c${i}`, {}])) },
      Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${'ab'.repeat(20)}${i}`, 1])),
    ],
    [
      'branches, times lengths of a text',
      property({ anyOf: Array.from({ length: 300 }, (_, i) => ({ type: 'string', maxLength: i })) }),
      { x: 'é'.repeat(2_000_000) },
    ],
    [
      'branches, times counts of keys',
      property({ anyOf: Array.from({ length: 300 }, (_, i) => ({ type: 'object', maxProperties: i })) }),
      { x: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1])) },
    ],
  ])('are stopped: %s', (_, schema, value) => {
    for (const report of ['every', 'first'] as const) {
      quickly(() => expect(() => check(schema, value, report)).toThrow('checking it takes too long'));
    }
  });

  it.each<[string, object, unknown]>([
    [
      'choices, times items',
      property({ type: 'array', items: { enum: Array.from({ length: 5_000 }, (_, i) => `v${i}`) } }),
      { x: Array.from({ length: 18_000 }, () => 'z') },
    ],
    [
      'branches, times items',
      property({
        type: 'array',
        items: { anyOf: Array.from({ length: 100 }, (_, i) => ({ type: 'object', required: [`k${i}`] })) },
      }),
      { x: Array.from({ length: 6_000 }, () => ({})) },
    ],
    [
      'references, times items',
      property({ type: 'array', items: { $ref: '#/$defs/s' } }, { $defs: { s: { type: 'string' } } }),
      { x: Array.from({ length: 19_000 }, () => 1) },
    ],
  ])('tell one violation where all are too many: %s', (_, schema, value) => {
    quickly(() => expect(check(schema, value).length).toBeGreaterThan(0));
  });

  it('tell no more violations than anybody reads', () => {
    const schema = property({ type: 'array', items: { type: 'string' } });
    expect(check(schema, { x: Array.from({ length: 1_000 }, () => 1) })).toHaveLength(200);
  });

  it('do not keep a valid value of a million items out', () => {
    const schema = property({ type: 'array', items: { type: 'number' } });
    expect(fits(schema, { x: Array.from({ length: 1_000_000 }, (_, i) => i) })).toBe(true);
    const wrong = Array.from({ length: 1_000_000 }, () => 'x');
    quickly(() => expect(check(schema, { x: wrong }, 'first')).toHaveLength(1));
  });
});

describe('uniqueItems', () => {
  const unique = property({ type: 'array', uniqueItems: true });

  it.each([
    [[], true],
    [[1, '1', true, null, 'true', 'null'], true],
    [[1, 1.0], false],
    [['a', 'b', 'a'], false],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [
      [
        [1, 2],
        [2, 1],
      ],
      true,
    ],
    [[{ a: 1 }, '{"a":1}'], true],
    [[null, null], false],
  ])('of %j is %s', (x, isUnique) => {
    expect(fits(unique, { x })).toBe(isUnique);
  });

  it('says nothing where it is false', () => {
    expect(fits(property({ type: 'array', uniqueItems: false }), { x: [1, 1] })).toBe(true);
  });

  it('compares a hundred thousand items in no time', () => {
    const items = Array.from({ length: 100_000 }, (_, i) => `item ${i}`);
    quickly(() => expect(check(unique, { x: items }, 'first')).toEqual([]));
    quickly(() => expect(check(unique, { x: [...items, 'item 7'] }, 'first')).toHaveLength(1));
  });
});

describe('formats', () => {
  it.each([
    ['date-time', '2024-05-01T10:20:30Z', '2024-05-01 10:20'],
    ['date-time', '2024-05-01T10:20:30.5+02:00', '2024-13-01T10:20:30Z'],
    ['date', '2024-02-29', '2023-02-29'],
    ['time', '10:20:30Z', '25:00:00Z'],
    ['uri', 'https://example.com/a?b#c', 'not a uri'],
    ['uri', 'urn:isbn:0451450523', '//relative'],
    ['email', 'a.b+c@example.com', 'a@b@c'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567e89b12d3a456'],
    ['ipv4', '192.168.0.1', '192.168.0.256'],
    ['ipv6', '2001:db8::1', '2001:db8::1::2'],
    ['hostname', 'example.com', '-example-.com'],
  ])('%s takes %s and refuses %s', (format, good, bad) => {
    const schema = property({ type: 'string', format });
    expect(fits(schema, { x: good })).toBe(true);
    expect(check(schema, { x: bad })).toEqual([{ path: '/x', rule: 'format', expected: `format ${format}` }]);
    quickly(() => expect(fits(schema, { x: `${good}${'a'.repeat(3_000_000)}` })).toBe(false));
    quickly(() => fits(schema, { x: 'a.:@-'.repeat(800) }));
  });

  it.each(['zip-code', '__proto__', 'constructor', 'toString', '', 'int32'])(
    'that nobody enforces say nothing: %j',
    (format) => {
      expect(fits(property({ type: 'string', format }), { x: 'anything' })).toBe(true);
      expect(fits(property({ type: 'string', format }), { x: 1 })).toBe(false);
    },
  );
});

describe('dialects', () => {
  it('are 2020-12 where none is declared', () => {
    const tuple = property({ prefixItems: [{ type: 'string' }], items: false });
    expect(fits(tuple, { x: ['a'] })).toBe(true);
    expect(fits(tuple, { x: ['a', 'b'] })).toBe(false);
  });

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-06/schema#',
    'http://json-schema.org/schema#',
    'https://json-schema.org/draft/2019-09/schema',
  ])('before 2020-12 write tuples the old way: %s', ($schema) => {
    const tuple = property({ items: [{ type: 'string' }], additionalItems: false }, { $schema });
    expect(fits(tuple, { x: ['a'] })).toBe(true);
    expect(fits(tuple, { x: ['a', 'b'] })).toBe(false);
  });

  it.each(['http://json-schema.org/draft-04/schema#', 'http://127.0.0.1:1/schema', '', 7, null, {}])(
    'that we do not know are unusable: %j',
    ($schema) => {
      expect(() => check({ $schema }, {})).toThrow('it declares an unknown $schema');
    },
  );
});

describe('words that only the engine knows', () => {
  it('do not turn the check into a promise', () => {
    const schema = { $async: true, type: 'object', properties: { x: { $async: true, type: 'string' } } };
    expect(check(schema, { x: 1 })).toEqual([{ path: '/x', rule: 'type', expected: 'string' }]);
  });

  it('are otherwise ignored where the specification does not know them', () => {
    expect(
      fits({ id: 'old', type: 'object', properties: { id: { type: 'string', id: 'x' } } }, { id: 'a' }),
    ).toBe(true);
    expect(fits(property({ nullable: true }), { x: 'a' })).toBe(true);
    expect(fits(property({ type: 'string', nullable: true }), { x: null })).toBe(true);
    expect(
      fits(property({ discriminator: { propertyName: 'x' }, xml: {}, example: { $ref: 'x' } }), { x: 1 }),
    ).toBe(true);
  });

  it('are data where they stand in data', () => {
    const schema = property({ const: { $async: true, id: 'x', format: 'zip', $ref: '#/none' } });
    expect(fits(schema, { x: { $async: true, id: 'x', format: 'zip', $ref: '#/none' } })).toBe(true);
    expect(fits(schema, { x: { id: 'x' } })).toBe(false);
  });

  it('are names where they stand for properties', () => {
    const schema = {
      type: 'object',
      properties: { $async: { type: 'string' }, format: { type: 'string' }, enum: {} },
    };
    expect(fits(schema, { $async: 'x', format: 'zip', enum: 1 })).toBe(true);
    expect(check(schema, { $async: 1, format: 1 }).map(({ path }) => path)).toEqual(['/$async', '/format']);
    expect(fits({ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 })).toBe(false);
    expect(fits({ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1, b: 1 })).toBe(true);
  });
});

describe('names that every object has', () => {
  it.each(['toString', 'constructor', 'valueOf', 'hasOwnProperty'])('may be parameters: %s', (name) => {
    const schema = { type: 'object', properties: { [name]: { type: 'string' } } };
    expect(fits(schema, {})).toBe(true);
    expect(fits(schema, { [name]: 'x' })).toBe(true);
    expect(fits(schema, { [name]: 1 })).toBe(false);
    expect(fits({ ...schema, required: [name] }, {})).toBe(false);
  });

  it('change nothing in any prototype', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{"polluted":1}}},"$defs":{"__proto__":{}}}',
    );
    check(schema, JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('schemas that cannot be used', () => {
  it.each<[string, object, string]>([
    ['wrong words', { properties: { x: { maxLength: 'five' } } }, 'it does not compile'],
    [
      'two of one anchor',
      { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x', type: 'null' } } },
      'it does not compile',
    ],
  ])('say so at each call: %s', (_, schema, reason) => {
    for (let call = 0; call < 2; call++) expect(() => check(schema, {})).toThrow(reason);
  });

  it('never throw anything else', () => {
    const word = fc.constantFrom(
      ...[
        'type',
        'properties',
        'items',
        'prefixItems',
        'anyOf',
        'allOf',
        'not',
        'if',
        'then',
        '$ref',
        '$defs',
        '$id',
      ],
      ...[
        '$anchor',
        'enum',
        'const',
        'pattern',
        'format',
        'required',
        'minLength',
        'uniqueItems',
        'contains',
        'id',
      ],
      ...[
        'patternProperties',
        'additionalProperties',
        'unevaluatedProperties',
        'dependentSchemas',
        '$dynamicRef',
      ],
      ...['propertyNames', 'dependentRequired', 'nullable', '$async', '__proto__', 'default', '$schema'],
    );
    const leaf = fc.constantFrom<unknown>(
      ...[
        true,
        false,
        null,
        0,
        -1,
        1e308,
        'string',
        'object',
        'array',
        '#',
        '#/$defs/a',
        '#a',
        'http://x/',
        '(',
        'date',
      ],
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(word, tie('member'), { maxKeys: 4 }),
      member: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.array(tie('member'), { maxLength: 2 }),
        tie('schema'),
      ),
    }));
    fc.assert(
      fc.property(schema, fc.jsonValue({ maxDepth: 3 }), (candidate, value) => {
        const plain = JSON.parse(JSON.stringify(candidate)) as JsonObject;
        for (const report of ['every', 'first'] as const) {
          try {
            const violations = schemaCheck(plain, report)(value);
            expect(Array.isArray(violations)).toBe(true);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(SchemaUnusable);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('numbers', () => {
  it('beyond what JSON numbers hold are no numbers', () => {
    expect(fits(property({ type: 'number' }), { x: JSON.parse('1e400') })).toBe(false);
    expect(fits(property({ type: 'integer' }), { x: JSON.parse('12345678901234567890') })).toBe(true);
  });
});
