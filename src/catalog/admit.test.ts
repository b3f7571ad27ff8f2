import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeclaredTerms, ToolDescriptor } from '../contract/tool/descriptor.ts';
import { isToolId, parseToolId } from '../contract/tool/tool-id.ts';
import { type Admission, type AdmissionPolicy, admit } from './admit.ts';
import type { Finding } from './report.ts';
import { DEFAULT_SCHEMA_LIMITS } from './schema/budget.ts';
import { CatalogSnapshot } from './snapshot.ts';

const POLICY: AdmissionPolicy = {
  profile: 'personal',
  limits: DEFAULT_SCHEMA_LIMITS,
  onOversizedSchema: 'refuse',
  visibility: 'external',
};

const OBJECT = { type: 'object' };

type Offered = Partial<ToolDescriptor>;

/** What profile production requires. */
const COMPLETE: DeclaredTerms = { timeoutClass: 'standard', authorization: { requiredScopes: ['x'] } };

function offer(tools: readonly Offered[], policy: Partial<AdmissionPolicy> = {}): Admission {
  const descriptors = tools.map((tool) => ({ name: 'tool', hints: {}, ...tool }));
  return admit('ns', descriptors, { ...POLICY, ...policy });
}

function findings(admission: Admission): Pick<Finding, 'kind' | 'code' | 'reason'>[] {
  return admission.report.findings.map(({ kind, code, reason }) => ({ kind, code, reason }));
}

function nested(depth: number): object {
  let schema: object = { type: 'string' };
  for (let i = 0; i < depth; i++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

describe('admit with a valid tool', () => {
  it('registers it without a finding', () => {
    const { contracts, report } = offer([
      { name: 'search', version: '1.4.0', description: 'Searches.', inputSchema: OBJECT },
    ]);
    expect(report).toEqual({
      namespace: 'ns',
      offered: 1,
      registered: 1,
      findings: [],
    });
    expect(contracts[0]).toMatchObject({
      id: 'ns:search@1.4.0',
      namespace: 'ns',
      name: 'search',
      version: '1.4.0',
      upstreamName: 'search',
      description: 'Searches.',
      visibility: 'external',
      schemaDefect: undefined,
    });
  });

  it('puts a shape hash into the id where no version is declared', () => {
    const [contract] = offer([{ name: 'search', inputSchema: OBJECT }]).contracts;
    expect(contract!.id).toMatch(/^ns:search#[0-9a-f]{8}$/);
  });

  it('uses the visibility of the policy', () => {
    expect(offer([{}], { visibility: 'internal' }).contracts[0]!.visibility).toBe('internal');
  });

  it('freezes the contract', () => {
    const [contract] = offer([{}]).contracts;
    expect(() => Object.assign(contract!, { upstreamName: 'other' })).toThrow(TypeError);
  });

  it.each([
    ['a read-only hint', { hints: { readOnly: true } }, 'query'],
    ['no declaration', {}, 'mutation'],
    ['a declaration', { declared: { operation: 'subscription' } }, 'subscription'],
  ] as const)('takes its operation from %s', (_, tool, operation) => {
    expect(offer([tool]).contracts[0]!.operation).toBe(operation);
  });
});

describe('admit with a name outside of the id grammar', () => {
  it.each([
    ['spaces and colons', 'my tool: search', 'my_tool__search'],
    ['a digit first', '2fa', '_2fa'],
    ['a slash', 'repo/search', 'repo_search'],
    ['another script', 'поиск', '_____'],
    ['control characters', 'a\u001b[31mb\u202e\u{e0041}', 'a__31mb___'],
    ['too many characters', 'x'.repeat(500), 'x'.repeat(128)],
    ['marks of an id', 'a@b#c', 'a_b_c'],
  ])('repairs a name with %s, reports it, and keeps the original for calls', (_, name, repaired) => {
    const { contracts, report } = offer([{ name, inputSchema: OBJECT }]);
    expect(report.registered).toBe(1);
    expect(contracts[0]).toMatchObject({ name: repaired, upstreamName: name });
    expect(findings({ contracts, report })).toEqual([
      {
        kind: 'repaired',
        code: 'NAME',
        reason: 'the name is outside the id grammar; the id has a repaired name, calls use the original',
      },
    ]);
    expect(report.findings[0]!.toolId).toBe(contracts[0]!.id);
  });

  it('reports the name as one printable line', () => {
    const { report } = offer([{ name: `a\u001b[31m\nb\u202e${'c'.repeat(1_000)}` }]);
    expect(report.findings[0]!.upstreamName).toMatch(/^a bc{252}…$/);
  });

  it('gives different ids to tools whose repaired names are equal', () => {
    const { contracts } = offer([
      { name: 'a b', version: '1.0.0', inputSchema: OBJECT },
      { name: 'a_b', version: '1.0.0', inputSchema: OBJECT },
      { name: 'a:b', version: '1.0.0', inputSchema: OBJECT },
    ]);
    expect(new Set(contracts.map(({ id }) => id)).size).toBe(3);
    expect(contracts.map(({ upstreamName }) => upstreamName)).toEqual(['a b', 'a_b', 'a:b']);
  });

  it.each(['__proto__', 'toString', 'constructor', 'hasOwnProperty', 'valueOf'])(
    'accepts the name %s',
    (name) => {
      const { contracts, report } = offer([{ name, inputSchema: OBJECT }, { name: 'other' }]);
      expect(report.registered).toBe(2);
      expect(contracts[0]).toMatchObject({ name, upstreamName: name });
    },
  );

  it.each([undefined, null, '', 7, {}, ['a']])('refuses a tool without a name: %j', (name) => {
    const { contracts, report } = offer([{ name }, { name: 'good' }]);
    expect(contracts.map(({ upstreamName }) => upstreamName)).toEqual(['good']);
    expect(report.findings[0]).toMatchObject({ kind: 'refused', code: 'NAME', toolId: undefined });
  });

  it('registers a tool with any name under a valid id, and keeps the name for calls', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), fc.option(fc.string()), (name, version) => {
        const { contracts, report } = offer([{ name, version: version ?? undefined, inputSchema: OBJECT }]);
        expect(report.registered).toBe(1);
        expect(contracts[0]!.upstreamName).toBe(name);
        expect(isToolId(contracts[0]!.id)).toBe(true);
        expect(parseToolId(contracts[0]!.id)).toMatchObject({ namespace: 'ns', name: contracts[0]!.name });
      }),
    );
  });

  it('takes little time for very long texts', () => {
    const began = performance.now();
    const { report } = offer([
      {
        name: '\u202ex'.repeat(2_000_000),
        description: 'd\u001b[31m'.repeat(1_000_000),
        title: 'é'.repeat(5e6),
      },
    ]);
    expect(report.registered).toBe(1);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('admit with a version outside of the id grammar', () => {
  it('repairs and reports it', () => {
    const admission = offer([{ name: 'a', version: '1.0 (beta)' }]);
    expect(admission.contracts[0]).toMatchObject({ id: 'ns:a@1.0--beta-', version: '1.0--beta-' });
    expect(findings(admission)).toEqual([
      {
        kind: 'repaired',
        code: 'VERSION',
        reason: 'the version is outside the id grammar; the id has a repaired version',
      },
    ]);
  });

  it.each([7, null, {}, ''])('ignores a version that is no text: %j', (version) => {
    expect(offer([{ name: 'a', version }]).contracts[0]!.version).toBeUndefined();
  });
});

describe('the description of an admitted tool', () => {
  it.each([undefined, null, 7, ['text']])('is empty where it is no text: %j', (description) => {
    const admission = offer([{ description }]);
    expect(admission.contracts[0]!.description).toBe('');
    expect(findings(admission)).toEqual(
      description === undefined
        ? []
        : [
            {
              kind: 'flagged',
              code: 'DESCRIPTION',
              reason: 'the description is not text and was removed',
            },
          ],
    );
  });

  it('loses control and invisible characters, and is cut to its limit', () => {
    const [contract] = offer([{ description: `a\u001b[2Jb\u202e\u{e0041}c ${'d'.repeat(9_000)}` }]).contracts;
    expect(contract!.description).toMatch(/^abc d+$/);
    expect(contract!.description).toHaveLength(8_192);
  });
});

describe('the tags of an admitted tool', () => {
  it('are printable, sorted, short and unique', () => {
    const tags = ['write', 'b\u202e', 'write', 7, '', 'x'.repeat(100), null, 'a\u001b[31m'];
    expect(offer([{ tags }]).contracts[0]!.tags).toEqual(['a', 'b', 'write', `${'x'.repeat(23)}…`]);
  });

  it.each([undefined, null, 'write', { a: 1 }])('are empty for %j', (tags) => {
    expect(offer([{ tags }]).contracts[0]!.tags).toEqual([]);
  });

  it('are at most 64', () => {
    const tags = Array.from({ length: 300_000 }, (_, i) => `tag${i}`);
    expect(offer([{ tags }]).contracts[0]!.tags).toHaveLength(64);
  });
});

describe('admit with two tools of the same name and version', () => {
  it('refuses the later one and registers the others', () => {
    const { contracts, report } = offer([
      { name: 'a', version: '1.0.0', description: 'first' },
      { name: 'a', version: '1.0.0', description: 'second' },
      { name: 'b', version: '1.0.0' },
    ]);
    expect(contracts.map(({ id, description }) => [id, description])).toEqual([
      ['ns:a@1.0.0', 'first'],
      ['ns:b@1.0.0', ''],
    ]);
    expect(report).toMatchObject({ offered: 3, registered: 2 });
    expect(report.findings).toEqual([
      {
        kind: 'refused',
        namespace: 'ns',
        upstreamName: 'a',
        toolId: 'ns:a@1.0.0',
        visibility: 'external',
        code: 'DUPLICATE',
        reason: 'an earlier tool of this upstream has the same name and version; rename one of them',
      },
    ]);
  });

  it('refuses the later one even with another schema, because calls are dispatched by name', () => {
    const { contracts, report } = offer([
      { name: 'a', inputSchema: { type: 'object', properties: { x: {} } } },
      { name: 'a', inputSchema: { type: 'object', properties: { y: {} } } },
    ]);
    expect(contracts).toHaveLength(1);
    expect(report.findings[0]).toMatchObject({ kind: 'refused', code: 'DUPLICATE' });
  });

  it('registers both where their versions differ', () => {
    const { contracts, report } = offer([
      { name: 'a', version: '1.0.0' },
      { name: 'a', version: '2.0.0' },
      { name: 'a' },
    ]);
    expect(contracts).toHaveLength(3);
    expect(report.findings).toEqual([]);
  });
});

describe('admit with an oversized schema', () => {
  const beyond: [string, object, RegExp][] = [
    ['too deep', nested(20), /nested deeper than 32/],
    ['a thousand levels deep', nested(1_000), /nested deeper than 32/],
    ['deep in its data', { default: nested(20) }, /nested deeper than 32/],
    [
      'with too many properties',
      { properties: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`p${i}`, true])) },
      /more than 512 properties/,
    ],
    [
      'with five thousand properties',
      { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, OBJECT])) },
      /more than 2000 subschemas/,
    ],
    ['too large', { description: 'é'.repeat(33_000) }, /larger than 65536 bytes/],
    [
      'with a reference to the network',
      { properties: { a: { $ref: 'http://127.0.0.1:1/a.json' } } },
      /never fetched/,
    ],
    ['with a reference to nothing', { properties: { a: { $ref: '#/$defs/a' } } }, /leads to nothing/],
    [
      'with a key pattern that does not run in linear time',
      { patternProperties: { '(?=a)b': {} } },
      /linear time/,
    ],
    [
      'with patterns that are large together',
      {
        properties: Object.fromEntries(
          [1, 2, 3, 4, 5, 6].map((i) => [`p${i}`, { pattern: `(a{99}${i}){99}` }]),
        ),
      },
      /patterns are too large together/,
    ],
  ];

  it.each(beyond)('refuses the tool and gives the reason: %s', (_, schema, reason) => {
    for (const which of ['inputSchema', 'outputSchema']) {
      const { contracts, report } = offer([{ name: 'bad', [which]: schema }, { name: 'good' }]);
      expect(contracts.map(({ name }) => name)).toEqual(['good']);
      expect(report.findings).toHaveLength(1);
      expect(report.findings[0]).toMatchObject({ kind: 'refused', code: 'SCHEMA_INVALID' });
      expect(report.findings[0]!.reason).toMatch(reason);
      expect(report.findings[0]!.toolId).toMatch(/^ns:bad#[0-9a-f]{8}$/);
    }
  });

  it('registers and flags the tool where the policy is to flag', () => {
    const { contracts, report } = offer([{ name: 'big', inputSchema: nested(20) }], {
      onOversizedSchema: 'flag',
    });
    expect(contracts).toHaveLength(1);
    expect(report.findings[0]).toMatchObject({ kind: 'flagged', code: 'SCHEMA_INVALID' });
  });

  it('always refuses a schema beyond the hard limits', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, true]));
    let data: unknown = 1;
    for (let i = 0; i < 100_000; i++) data = [data];
    const { contracts, report } = offer(
      [
        { name: 'deep', inputSchema: nested(50_000) },
        { name: 'deep_data', inputSchema: { default: data } },
        { name: 'deep_output', outputSchema: nested(50_000) },
        { name: 'wide', inputSchema: { properties: many } },
        { name: 'good' },
      ],
      { onOversizedSchema: 'flag' },
    );
    expect(contracts.map(({ name }) => name)).toEqual(['good']);
    expect(report.findings.map(({ kind, upstreamName }) => [kind, upstreamName])).toEqual([
      ['refused', 'deep'],
      ['refused', 'deep_data'],
      ['refused', 'deep_output'],
      ['refused', 'wide'],
    ]);
  });
});

describe('admit with an invalid schema', () => {
  it.each([
    ['true instead of an object', true, /not an object/],
    ['a list instead of an object', [], /not an object/],
    ['a text instead of an object', 'object', /not an object/],
    ['a number instead of an object', 1e308, /not an object/],
    ['an invalid keyword value', { type: 'objekt' }, /not a JSON Schema: \/type/],
    ['an invalid subschema', { properties: { a: { minLength: -1 } } }, /not a JSON Schema/],
    ['an unknown dialect', { $schema: 'http://evil.example/schema' }, /unknown \$schema/],
    ['a dialect that is no text', { $schema: { $ref: '#' } }, /unknown \$schema/],
  ])('registers the tool as unusable, or refuses it in production: %s', (_, inputSchema, reason) => {
    const { contracts, report } = offer([{ inputSchema }]);
    expect(report.findings).toHaveLength(1);
    expect(report.findings[0]).toMatchObject({ kind: 'flagged', code: 'SCHEMA_INVALID' });
    expect(report.findings[0]!.reason).toMatch(reason);
    expect(contracts[0]!.schemaDefect).toBe(report.findings[0]!.reason);
    const strict = offer([{ inputSchema, declared: COMPLETE }], { profile: 'production' });
    expect(strict.contracts).toEqual([]);
    expect(findings(strict)).toEqual([
      {
        kind: 'refused',
        code: 'SCHEMA_INVALID',
        reason: `profile production requires a valid ${report.findings[0]!.reason}`,
      },
    ]);
  });

  it.each([undefined, null])('treats an absent schema as one without constraints: %j', (inputSchema) => {
    const { contracts, report } = offer([{ inputSchema }]);
    expect(report.findings).toEqual([]);
    expect(contracts[0]!.inputSchema).toEqual({ type: 'object' });
  });

  it('flags a pattern that only the upstream can enforce', () => {
    const admission = offer([{ inputSchema: { properties: { a: { pattern: '(?=a)b' } } } }]);
    expect(admission.contracts[0]!.schemaDefect).toBeUndefined();
    expect(findings(admission)).toEqual([
      {
        kind: 'flagged',
        code: 'SCHEMA_INVALID',
        reason: 'input schema: a pattern does not run in linear time, so only the upstream can enforce it',
      },
    ]);
  });
});

describe('admit with overrides of the operator', () => {
  it('admits a complete tool under profile production', () => {
    const tool = { name: 'search', inputSchema: OBJECT };
    const declared = { ...COMPLETE, labels: { team: 'x' } };
    const refused = offer([tool], { profile: 'production' });
    expect(findings(refused)).toEqual([
      {
        kind: 'refused',
        code: 'TERMS',
        reason: 'profile production requires timeoutClass, authorization; declare them in tools."ns:search"',
      },
    ]);
    const { contracts, report } = offer([tool], {
      profile: 'production',
      findOverrides: () => ({ declared }),
    });
    expect(report).toMatchObject({ registered: 1, findings: [] });
    expect(contracts[0]).toMatchObject({
      authorization: { requiredScopes: ['x'], credential: 'gateway' },
      timeoutClass: 'standard',
      labels: { team: 'x' },
      filledByProfile: ['mutation', 'idempotency'],
    });
  });

  it('merges them with what the tool declares', () => {
    const tool = {
      declared: {
        mutation: 'read_only',
        authorization: { requiredScopes: ['own'], credential: 'none' },
        idempotency: { key: 'required', windowMs: 9e9 },
      },
    } as const;
    const declared = {
      authorization: { requiredScopesAny: ['x'] },
      idempotency: { key: 'optional' },
    } as const;
    expect(offer([tool], { findOverrides: () => ({ declared }) }).contracts[0]).toMatchObject({
      mutation: 'read_only',
      authorization: { requiredScopes: ['own'], requiredScopesAny: ['x'], credential: 'none' },
      idempotency: { key: 'optional', windowMs: 9e9 },
    });
  });

  it('finds them by the offered id, and by the id with the stated version', () => {
    const asked: string[][] = [];
    const { contracts } = offer([{ name: 'a' }], {
      findOverrides: (...tools) => {
        asked.push(tools.map(({ id }) => id));
        return { version: '2.0.0' };
      },
    });
    const offered = offer([{ name: 'a' }]).contracts[0]!.id;
    expect(contracts[0]).toMatchObject({ id: 'ns:a@2.0.0', version: '2.0.0' });
    expect(asked).toEqual([[offered], [offered, 'ns:a@2.0.0']]);
  });

  it('leaves out a tool that is switched off, with no other finding about it', () => {
    const { contracts, report } = offer([{ name: 'my tool', inputSchema: { type: 7 } }, { name: 'b' }], {
      findOverrides: ({ name } = { name: '' } as never) => (name === 'b' ? {} : { off: 'switched off by x' }),
    });
    expect(contracts.map(({ name }) => name)).toEqual(['b']);
    expect(report).toMatchObject({ offered: 2, registered: 1 });
    expect(findings({ contracts, report })).toEqual([
      { kind: 'left_out', code: 'OFF', reason: 'switched off by x' },
    ]);
  });

  it('leaves out a tool that the gateway cannot call', () => {
    expect(findings(offer([{ unsupported: 'it needs a task' }]))).toEqual([
      { kind: 'left_out', code: 'UNSUPPORTED', reason: 'it needs a task' },
    ]);
  });

  it('hides one tool of an upstream, also where its schema is refused', () => {
    const findOverrides = () => ({ visibility: 'internal' }) as const;
    expect(offer([{}], { findOverrides }).contracts[0]!.visibility).toBe('internal');
    const tooDeep = offer([{ version: '1', inputSchema: nested(100) }], { findOverrides });
    expect(tooDeep.report.findings).toMatchObject([{ kind: 'refused', visibility: 'internal' }]);
    expect(new CatalogSnapshot(1, [tooDeep]).refusal('ns:tool@1')).toBeUndefined();
  });

  it.each([
    ['delegated', 'gateway', /cannot send the caller's credential/],
    ['delegated', 'none', /cannot send the caller's credential/],
    ['none', 'gateway', /remove them, or use "gateway"/],
    ['none', 'none', undefined],
    ['gateway', 'none', undefined],
    ['delegated', undefined, undefined],
  ] as const)('with credential %s at an upstream that gets %s', (declared, credential, reason) => {
    const { contracts, report } = offer([{ declared: { authorization: { credential: declared } } }], {
      ...(credential && { credential }),
    });
    if (reason)
      expect(report.findings).toMatchObject([
        { kind: 'refused', code: 'TERMS', reason: expect.stringMatching(reason) },
      ]);
    else expect(contracts[0]!.authorization.credential).toBe(declared);
  });

  it('raises an idempotency window below the minimum, and reports it', () => {
    const admission = offer([{ declared: { timeoutClass: 'standard', idempotency: { windowMs: 1 } } }]);
    expect(admission.contracts[0]!.idempotency.windowMs).toBe(3_600_000);
    expect(findings(admission)).toEqual([
      {
        kind: 'flagged',
        code: 'TERMS',
        reason: 'the idempotency window of 1 ms is below the minimum and was raised to 3600000 ms',
      },
    ]);
  });
});

describe('the digest of a contract', () => {
  const tool: Offered = {
    name: 'a',
    version: '1.0.0',
    description: 'd',
    inputSchema: { type: 'object', properties: { x: { type: 'string' }, y: { type: 'number' } } },
  };
  const digest = (offered: Offered, policy: Partial<AdmissionPolicy> = {}): string =>
    offer([offered], policy).contracts[0]!.digest;

  it('is equal for equal content, whatever the order of keys', () => {
    const turned = { type: 'object', properties: { y: { type: 'number' }, x: { type: 'string' } } };
    expect(digest(tool)).toMatch(/^[0-9a-f]{64}$/);
    expect(digest(structuredClone(tool))).toBe(digest(tool));
    expect(digest({ ...tool, inputSchema: turned })).toBe(digest(tool));
  });

  it.each<[string, Offered, Partial<AdmissionPolicy>?]>([
    ['description', { description: 'e' }],
    ['title', { title: 't' }],
    ['version', { version: '1.0.1' }],
    ['input schema', { inputSchema: { type: 'object', properties: { x: { type: 'number' } } } }],
    ['output schema', { outputSchema: { type: 'object' } }],
    ['tags', { tags: ['t'] }],
    ['hints', { hints: { readOnly: true } }],
    ['terms', { declared: { timeoutClass: 'interactive' } }],
    ['profile', {}, { profile: 'team' }],
    ['visibility', {}, { visibility: 'internal' }],
  ])('changes with the %s', (_, change, policy) => {
    expect(digest({ ...tool, ...change }, policy)).not.toBe(digest(tool));
  });
});
