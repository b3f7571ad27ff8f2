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

/** Expects the work to take less than a second of CPU time. */
function quickly<Result>(work: () => Result): Result {
  const began = process.threadCpuUsage();
  try {
    return work();
  } finally {
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  }
}

describe('violations of schemaCheck', () => {
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
  ])('of %j are at %s, by %s, and expect %s', (value, path, rule, expected) => {
    expect(check(schema, { r: 1, ...value })).toEqual([{ path, rule, expected }]);
  });

  it('name a missing property', () => {
    expect(check(schema, {})).toEqual([{ path: '/', rule: 'required', expected: 'property "r"' }]);
  });

  it('are all listed, or only the first, as requested', () => {
    const wrong = { s: 1, n: 'x', e: 0 };
    expect(check(schema, wrong, 'every').map(({ path }) => path)).toEqual(['/', '/s', '/n', '/e']);
    expect(check(schema, wrong, 'first')).toHaveLength(1);
  });

  it('never contain the value, and are printable lines of bounded length', () => {
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

  it('never contain any value, whatever it is', () => {
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

describe('patterns in schemaCheck', () => {
  it('stay independent of each other, in one schema and across schemas', () => {
    const two = { type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(fits(two, { a: 'a', b: 'b' })).toBe(true);
    expect(check(two, { a: 'b', b: 'a' }).map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(fits(property({ pattern: '^c$' }), { x: 'c' })).toBe(true);
    expect(fits(property({ pattern: '^c$' }), { x: 'a' })).toBe(false);
  });

  it('apply to keys', () => {
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

  it('that do not run in linear time accept every text', () => {
    expect(fits(property({ pattern: '^(?=b)a' }), { x: 'zzz' })).toBe(true);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a?){100}a{100}$', '.*.*=.*', '(x+x+)+y', '^(\\w+\\s?)*$'])(
    'take linear time: %s',
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

  it('that are large are not run on a long text', () => {
    const texts = 'ab'.repeat(50_000);
    quickly(() => {
      expect(() => check(property({ pattern: 'a[ab]{900}[cd]' }), { x: texts })).toThrow(/takes too long/);
    });
  });
});

describe('references in schemaCheck', () => {
  it.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'])(
    'to the root describe a tree in %s',
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

  it('to anchors and to ids resolve', () => {
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
  ])('of kind %s describe a tree', (_, schema) => {
    const tree = { type: 'object', ...schema };
    for (const report of ['every', 'first'] as const) {
      expect(check(tree, { n: { n: {} } }, report)).toEqual([]);
      expect(check(tree, { n: { n: 7 } }, report)).toMatchObject([{ path: '/n/n', rule: 'type' }]);
    }
  });

  it('never resolve into another schema with the same ids', () => {
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
      'between two definitions',
      property({ $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ],
    ['through anyOf', property({ $ref: '#/$defs/n' }, { $defs: { n: { anyOf: [{ $ref: '#/$defs/n' }] } } })],
    [
      'through $dynamicRef',
      property(
        { $ref: '#/$defs/n' },
        { $defs: { n: { $dynamicAnchor: 'n', allOf: [{ $dynamicRef: '#n' }] } } },
      ),
    ],
    [
      'through $recursiveRef',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        anyOf: [{ $recursiveRef: '#' }],
      },
    ],
  ])('in a circle that never descends into the value make the schema unusable: %s', (_, schema) => {
    for (const report of ['every', 'first'] as const) {
      quickly(() => expect(() => check(schema, { x: 1 }, report)).toThrow('its references never end'));
    }
  });

  it('to nothing or to another document make the schema unusable', () => {
    for (const $ref of ['#/$defs/none', '#none', 'http://127.0.0.1:1/x.json', 'file:///etc/passwd']) {
      expect(() => check(property({ $ref }), { x: 1 })).toThrow('it does not compile');
    }
  });
});

describe('schemaCheck with expensive schemas', () => {
  const depth = 60;
  let deep: object = {};
  for (let i = 0; i < depth; i++) deep = { n: deep };
  const branch = { properties: { n: { $ref: '#/$defs/n' } } };

  it.each<[string, object, unknown]>([
    [
      'recursive branches that fail',
      property({ $ref: '#/$defs/n' }, { $defs: { n: { anyOf: [branch, branch], required: ['z'] } } }),
      { x: deep },
    ],
    [
      'recursive branches that succeed',
      property({ $ref: '#/$defs/n' }, { $defs: { n: { allOf: [branch, branch] } } }),
      { x: deep },
    ],
    [
      'definitions that double at each level',
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
      'many key patterns on many keys',
      { patternProperties: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`(a|b)*c${i}`, {}])) },
      Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${'ab'.repeat(20)}${i}`, 1])),
    ],
    [
      'many branches on a long text',
      property({ anyOf: Array.from({ length: 300 }, (_, i) => ({ type: 'string', maxLength: i })) }),
      { x: 'é'.repeat(2_000_000) },
    ],
    [
      'many branches on an object with many keys',
      property({ anyOf: Array.from({ length: 300 }, (_, i) => ({ type: 'object', maxProperties: i })) }),
      { x: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1])) },
    ],
  ])('stops: %s', (_, schema, value) => {
    for (const report of ['every', 'first'] as const) {
      quickly(() => expect(() => check(schema, value, report)).toThrow('checking it takes too long'));
    }
  });

  it.each<[string, object, unknown]>([
    [
      'many enum values on many items',
      property({ type: 'array', items: { enum: Array.from({ length: 5_000 }, (_, i) => `v${i}`) } }),
      { x: Array.from({ length: 18_000 }, () => 'z') },
    ],
    [
      'many branches on many items',
      property({
        type: 'array',
        items: { anyOf: Array.from({ length: 100 }, (_, i) => ({ type: 'object', required: [`k${i}`] })) },
      }),
      { x: Array.from({ length: 6_000 }, () => ({})) },
    ],
    [
      'references on many items',
      property({ type: 'array', items: { $ref: '#/$defs/s' } }, { $defs: { s: { type: 'string' } } }),
      { x: Array.from({ length: 19_000 }, () => 1) },
    ],
  ])('reports one violation where listing all takes too long: %s', (_, schema, value) => {
    quickly(() => expect(check(schema, value).length).toBeGreaterThan(0));
  });

  it('reports at most 200 violations', () => {
    const schema = property({ type: 'array', items: { type: 'string' } });
    expect(check(schema, { x: Array.from({ length: 1_000 }, () => 1) })).toHaveLength(200);
  });

  it('accepts a valid list of a million items', () => {
    const schema = property({ type: 'array', items: { type: 'number' } });
    expect(fits(schema, { x: Array.from({ length: 1_000_000 }, (_, i) => i) })).toBe(true);
    const wrong = Array.from({ length: 1_000_000 }, () => 'x');
    quickly(() => expect(check(schema, { x: wrong }, 'first')).toHaveLength(1));
  });
});

describe('uniqueItems in schemaCheck', () => {
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
  ])('for %j is %s', (x, isUnique) => {
    expect(fits(unique, { x })).toBe(isUnique);
  });

  it('accepts duplicates where it is false', () => {
    expect(fits(property({ type: 'array', uniqueItems: false }), { x: [1, 1] })).toBe(true);
  });

  it('compares a hundred thousand items within a second', () => {
    const items = Array.from({ length: 100_000 }, (_, i) => `item ${i}`);
    quickly(() => expect(check(unique, { x: items }, 'first')).toEqual([]));
    quickly(() => expect(check(unique, { x: [...items, 'item 7'] }, 'first')).toHaveLength(1));
  });
});

describe('formats in schemaCheck', () => {
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
  ])('%s accepts %s and refuses %s', (format, good, bad) => {
    const schema = property({ type: 'string', format });
    expect(fits(schema, { x: good })).toBe(true);
    expect(check(schema, { x: bad })).toEqual([{ path: '/x', rule: 'format', expected: `format ${format}` }]);
    quickly(() => expect(fits(schema, { x: `${good}${'a'.repeat(3_000_000)}` })).toBe(false));
    quickly(() => fits(schema, { x: 'a.:@-'.repeat(800) }));
  });

  it.each(['zip-code', '__proto__', 'constructor', 'toString', '', 'int32'])(
    'that are unknown accept every text: %j',
    (format) => {
      expect(fits(property({ type: 'string', format }), { x: 'anything' })).toBe(true);
      expect(fits(property({ type: 'string', format }), { x: 1 })).toBe(false);
    },
  );
});

describe('dialects of schemaCheck', () => {
  it('default to 2020-12', () => {
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
  ])('before 2020-12 read a list of items as a tuple: %s', ($schema) => {
    const tuple = property({ items: [{ type: 'string' }], additionalItems: false }, { $schema });
    expect(fits(tuple, { x: ['a'] })).toBe(true);
    expect(fits(tuple, { x: ['a', 'b'] })).toBe(false);
  });

  it.each(['http://json-schema.org/draft-04/schema#', 'http://127.0.0.1:1/schema', '', 7, null, {}])(
    'that are unknown make the schema unusable: %j',
    ($schema) => {
      expect(() => check({ $schema }, {})).toThrow('it declares an unknown $schema');
    },
  );
});

describe('keywords that only ajv knows', () => {
  it('do not make the check asynchronous', () => {
    const schema = { $async: true, type: 'object', properties: { x: { $async: true, type: 'string' } } };
    expect(check(schema, { x: 1 })).toEqual([{ path: '/x', rule: 'type', expected: 'string' }]);
  });

  it('are ignored', () => {
    expect(
      fits({ id: 'old', type: 'object', properties: { id: { type: 'string', id: 'x' } } }, { id: 'a' }),
    ).toBe(true);
    expect(fits(property({ nullable: true }), { x: 'a' })).toBe(true);
    expect(fits(property({ type: 'string', nullable: true }), { x: null })).toBe(true);
    expect(
      fits(property({ discriminator: { propertyName: 'x' }, xml: {}, example: { $ref: 'x' } }), { x: 1 }),
    ).toBe(true);
  });

  it('are kept inside data', () => {
    const schema = property({ const: { $async: true, id: 'x', format: 'zip', $ref: '#/none' } });
    expect(fits(schema, { x: { $async: true, id: 'x', format: 'zip', $ref: '#/none' } })).toBe(true);
    expect(fits(schema, { x: { id: 'x' } })).toBe(false);
  });

  it('are kept as names of properties', () => {
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

describe('schemaCheck with inherited member names', () => {
  it.each(['toString', 'constructor', 'valueOf', 'hasOwnProperty'])(
    'accepts a parameter called %s',
    (name) => {
      const schema = { type: 'object', properties: { [name]: { type: 'string' } } };
      expect(fits(schema, {})).toBe(true);
      expect(fits(schema, { [name]: 'x' })).toBe(true);
      expect(fits(schema, { [name]: 1 })).toBe(false);
      expect(fits({ ...schema, required: [name] }, {})).toBe(false);
    },
  );

  it('does not pollute a prototype', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{"polluted":1}}},"$defs":{"__proto__":{}}}',
    );
    check(schema, JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('schemaCheck with unusable schemas', () => {
  it.each<[string, object, string]>([
    ['a wrong keyword value', { properties: { x: { maxLength: 'five' } } }, 'it does not compile'],
    [
      'a duplicate anchor',
      { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x', type: 'null' } } },
      'it does not compile',
    ],
  ])('throws at each call: %s', (_, schema, reason) => {
    for (let call = 0; call < 2; call++) expect(() => check(schema, {})).toThrow(reason);
  });

  it('throws nothing but SchemaUnusable', () => {
    const keyword = fc.constantFrom(
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
      schema: fc.dictionary(keyword, tie('member'), { maxKeys: 4 }),
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

describe('numbers in schemaCheck', () => {
  it('that overflow to infinity are refused', () => {
    expect(fits(property({ type: 'number' }), { x: JSON.parse('1e400') })).toBe(false);
    expect(fits(property({ type: 'integer' }), { x: JSON.parse('12345678901234567890') })).toBe(true);
  });
});
