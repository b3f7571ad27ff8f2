import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CatalogError,
  formatToolId,
  inferNamespace,
  isToolId,
  MAX_TOOL_ID_LENGTH,
  parseToolId,
  repairName,
  repairNamespace,
  repairVersion,
  type ToolIdParts,
  toolShapeHash,
} from './tool-id.ts';

interface HashVector {
  readonly upstreamName: string;
  readonly properties: readonly string[];
  readonly required: readonly string[];
  readonly hash8: string;
}

const VECTORS: readonly HashVector[] = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/tool-id-hashes.json', import.meta.url), 'utf8'),
);

function schemaOf(properties: readonly string[], required: readonly string[] = []): object {
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map((name) => [name, { type: 'string' }])),
    required,
  };
}

/** The grammar as one expression, independent of the parser. */
const GRAMMAR =
  /^[a-z][a-z0-9_-]{0,63}:[A-Za-z_][A-Za-z0-9_.-]{0,127}(?:@[A-Za-z0-9._-]{1,32})?(?:#[0-9a-f]{8})?$/;

const validParts: fc.Arbitrary<ToolIdParts> = fc
  .record({
    namespace: fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/),
    name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/),
    version: fc.option(fc.stringMatching(/^[A-Za-z0-9._-]{1,32}$/), { nil: undefined }),
    hash8: fc.option(fc.stringMatching(/^[0-9a-f]{8}$/), { nil: undefined }),
  })
  .map(({ version, hash8, ...required }) => ({
    ...required,
    ...(version && { version }),
    ...(hash8 && { hash8 }),
  }));

/** Any UTF-16 unit, lone surrogates included. */
const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const halfPair = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
const nastyUnit = fc.oneof(anyUnit, fc.constantFrom(...'@#:/._-~ \n\r\t\0AZaz09é\u017fK😀'));

describe('toolShapeHash', () => {
  it('is tested with the vectors of the reference implementation', () => {
    expect(VECTORS).toHaveLength(18);
  });

  it.each(VECTORS)('hashes $upstreamName $properties $required to $hash8', (vector) => {
    const schema = schemaOf(vector.properties, vector.required);
    expect(toolShapeHash(vector.upstreamName, schema)).toBe(vector.hash8);
  });

  it.each(VECTORS)('$hash8 does not depend on the order of properties and required', (vector) => {
    const schema = schemaOf(vector.properties.toReversed(), vector.required.toReversed());
    expect(toolShapeHash(vector.upstreamName, schema)).toBe(vector.hash8);
  });

  // Expected values come from the Python reference implementation.
  it.each([
    ['DEL and line separators are escaped', 'del', schemaOf(['a\u007fb', '\u2028']), 'c5abaf15'],
    [
      'lone surrogates sort by their code unit',
      'lone',
      schemaOf(['\u{10000}', '\uffff', '\ud800']),
      '56d383eb',
    ],
    ['the upstream name itself is not escaped', 'naïve.outil😀', undefined, '16d42166'],
    ['an empty name', '', {}, '2f974b77'],
    [
      'names of built-in object members, and numeric names',
      '__proto__',
      JSON.parse(
        '{"properties":{"9":{},"10":{},"__proto__":{},"constructor":{}},"required":["constructor"]}',
      ),
      '73b99741',
    ],
  ])('matches the reference: %s', (_, upstreamName, schema, expected) => {
    expect(toolShapeHash(upstreamName, schema)).toBe(expected);
  });

  it.each([
    undefined,
    null,
    true,
    'object',
    [],
    {},
    { properties: null, required: null },
    { properties: [] },
  ])('treats %j as a schema without properties', (schema) => {
    expect(toolShapeHash('read_file', schema)).toBe('559d82ea');
  });

  it('depends only on top-level names, so prose and types do not change an id', () => {
    const schema = {
      title: 'Read a file',
      description: 'now with better prose',
      properties: { path: { type: 'object', properties: { nested: {} }, required: ['nested'] } },
      required: ['path', 7, null],
    };
    expect(toolShapeHash('read_file', schema)).toBe('85b56782');
  });

  it('does not modify the schema', () => {
    const schema = { properties: { b: {}, a: {} }, required: ['b', 'a'] };
    toolShapeHash('x', schema);
    expect(schema.required).toEqual(['b', 'a']);
    expect(Object.keys(schema.properties)).toEqual(['b', 'a']);
  });
});

describe('inferNamespace', () => {
  it.each([
    ['github.create_issue', 'github', 'create_issue'],
    ['weather.get', 'weather', 'get'],
    ['a.b.c', 'a', 'b.c'],
    ['files/read', 'files', 'read'],
    ['a/b/c', 'a', 'b/c'],
    ['a/b.c', 'a/b', 'c'],
    ['a.b/c', 'a', 'b/c'],
    ['GitHub.create', 'GitHub', 'create'],
    ['slack_send_message', 'slack', 'slack_send_message'],
    ['a__b', 'a', 'a__b'],
    ['read_file', 'mcp', 'read_file'],
    ['search', 'mcp', 'search'],
    ['', 'mcp', ''],
    ['.hidden', 'mcp', '.hidden'],
    ['.hidden/file', '.hidden', 'file'],
    ['/read', 'mcp', '/read'],
    ['/read_all_files', '/read', '/read_all_files'],
    ['_private_tool', 'mcp', '_private_tool'],
    ['github.', 'github', ''],
  ])('splits %j into namespace %j and name %j', (upstreamName, namespace, name) => {
    expect(inferNamespace(upstreamName)).toEqual({ namespace, name });
  });
});

describe('parseToolId and formatToolId', () => {
  it.each([
    ['github:create_issue@1.4.0', { namespace: 'github', name: 'create_issue', version: '1.4.0' }],
    [
      'slack:slack_send_message#3a91c7d2',
      { namespace: 'slack', name: 'slack_send_message', hash8: '3a91c7d2' },
    ],
    ['billing:refund@1#a1b2c3d4', { namespace: 'billing', name: 'refund', version: '1', hash8: 'a1b2c3d4' }],
    ['mcp:_', { namespace: 'mcp', name: '_' }],
    ['a-_0:Z.-_9@._-', { namespace: 'a-_0', name: 'Z.-_9', version: '._-' }],
  ])('parses and formats %s', (id, parts) => {
    expect(parseToolId(id)).toStrictEqual(parts);
    expect(formatToolId(parts)).toBe(id);
  });

  it('accept the longest id that the grammar allows', () => {
    const longest = `${'n'.repeat(64)}:${'N'.repeat(128)}@${'9'.repeat(32)}#${'f'.repeat(8)}`;
    expect(longest.length).toBeLessThanOrEqual(MAX_TOOL_ID_LENGTH);
    expect(formatToolId(parseToolId(longest))).toBe(longest);
  });

  it.each([
    ['empty', ''],
    ['a name alone', 'read_file'],
    ['an empty namespace', ':read_file'],
    ['an empty name', 'mcp:'],
    ['an empty version', 'mcp:read@'],
    ['an empty version before a hash', 'mcp:read@#deadbeef'],
    ['an empty hash', 'mcp:read#'],
    ['two colons', 'mcp:read:file'],
    ['a primitive id', 'resource::fs:readme#ab12cd34'],
    ['two @', 'mcp:read@1@2'],
    ['two @ around a hash', 'mcp:read@1#deadbeef@2'],
    ['two #', 'mcp:read#deadbeef#deadbeef'],
    ['a hash before the version', 'mcp:read#deadbeef@1'],
    ['a trailing newline', 'mcp:read\n'],
    ['a trailing newline after the version', 'mcp:read@1\n'],
    ['a trailing newline after the hash', 'mcp:read#deadbeef\n'],
    ['a newline within', 'mcp:re\nad'],
    ['a leading space', ' mcp:read'],
    ['a trailing space', 'mcp:read '],
    ['an upper-case namespace', 'MCP:read'],
    ['an upper-case letter in the namespace', 'gitHub:read'],
    ['a namespace that starts with a digit', '1mcp:read'],
    ['a dot in the namespace', 'm.cp:read'],
    ['a namespace of 65', `${'n'.repeat(65)}:read`],
    ['a name that starts with a digit', 'mcp:1read'],
    ['a name that starts with a dot', 'mcp:.read'],
    ['a slash in the name', 'mcp:read/file'],
    ['a name of 129', `mcp:${'n'.repeat(129)}`],
    ['a version of 33', `mcp:read@${'1'.repeat(33)}`],
    ['a plus in the version', 'mcp:read@1.0+build'],
    ['an upper-case hash', 'mcp:read#DEADBEEF'],
    ['a hash that is not hex', 'mcp:read#deadbeeg'],
    ['a hash of 7', 'mcp:read#deadbee'],
    ['a hash of 9', 'mcp:read#deadbeef0'],
    ['a collision key', 'mcp:read#deadbeef~2'],
    ['a look-alike letter of another alphabet', 'mcp:re\u0430d'],
    ['241 characters', `mcp:${'n'.repeat(MAX_TOOL_ID_LENGTH - 3)}`],
    ['a megabyte', `mcp:${'n'.repeat(1_000_000)}`],
  ])('refuse %s', (_, text) => {
    expect(() => parseToolId(text)).toThrow(CatalogError);
    expect(isToolId(text)).toBe(false);
  });

  it('shorten a long id in the error message', () => {
    const error = errorOf(() => parseToolId('x'.repeat(10_000)));
    expect(error).toBeInstanceOf(CatalogError);
    expect((error as CatalogError).name).toBe('CatalogError');
    expect((error as CatalogError).message.length).toBeLessThan(120);
  });

  it.each<[string, ToolIdParts]>([
    ['an empty namespace', { namespace: '', name: 'read' }],
    ['an empty name', { namespace: 'mcp', name: '' }],
    ['an empty version', { namespace: 'mcp', name: 'read', version: '' }],
    ['an empty hash', { namespace: 'mcp', name: 'read', hash8: '' }],
    ['a namespace that contains a name', { namespace: 'mcp:read', name: 'file' }],
    ['a name that contains a version', { namespace: 'mcp', name: 'read@1' }],
    ['a name that contains a hash', { namespace: 'mcp', name: 'read#deadbeef' }],
    ['a name that contains a version and a hash', { namespace: 'mcp', name: 'read@1#deadbeef' }],
    ['a name that contains a version, with a hash', { namespace: 'mcp', name: 'read@1', hash8: 'deadbeef' }],
    ['a version that contains a hash', { namespace: 'mcp', name: 'read', version: '1#deadbeef' }],
    ['a newline', { namespace: 'mcp', name: 'read', version: '1\n' }],
  ])('do not format %s', (_, parts) => {
    expect(() => formatToolId(parts)).toThrow(CatalogError);
  });

  it('are inverse on every valid id', () => {
    fc.assert(
      fc.property(validParts, (parts) => {
        const id = formatToolId(parts);
        expect(id).toMatch(GRAMMAR);
        expect(parseToolId(id)).toStrictEqual(parts);
        expect(isToolId(id)).toBe(true);
      }),
    );
  });

  it('agree with the grammar on ids with one edit', () => {
    const edited = fc
      .tuple(validParts, fc.nat(), fc.constantFrom('insert', 'replace', 'delete', 'double'), nastyUnit)
      .map(([parts, seed, edit, unit]) => {
        const id = formatToolId(parts);
        const at = seed % (id.length + 1);
        const rest = id.slice(edit === 'insert' || edit === 'double' ? at : at + 1);
        const between = edit === 'delete' ? '' : edit === 'double' ? id.slice(0, at) : unit;
        return id.slice(0, at) + between + rest;
      });
    fc.assert(fc.property(edited, expectGrammarDecides), { numRuns: 5_000 });
  });

  it('agree with the grammar on any text', () => {
    const idLike = fc.string({ unit: fc.constantFrom(...'aZ0_.-:@#\n/'), maxLength: 24 });
    fc.assert(fc.property(fc.oneof(fc.string({ unit: anyUnit }), idLike), expectGrammarDecides), {
      numRuns: 5_000,
    });
  });
});

function expectGrammarDecides(text: string): void {
  if (GRAMMAR.test(text) && text.length <= MAX_TOOL_ID_LENGTH) {
    expect(formatToolId(parseToolId(text))).toBe(text);
  } else {
    expect(() => parseToolId(text)).toThrow(CatalogError);
  }
}

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('repairNamespace, repairName and repairVersion', () => {
  it.each([
    ['github', 'github'],
    ['GitHub', 'github'],
    ['my server', 'my-server'],
    ['my.server/v2', 'my-server-v2'],
    ['2captcha', 'n2captcha'],
    ['_x', 'n_x'],
    ['', 'n'],
    ['😀', 'n--'],
    ['İstanbul', 'i-stanbul'],
    ['A'.repeat(70), 'a'.repeat(64)],
    ['1'.repeat(70), `n${'1'.repeat(63)}`],
  ])('repair the namespace %j to %j', (text, expected) => {
    expect(repairNamespace(text)).toBe(expected);
  });

  it.each([
    ['read_file', 'read_file'],
    ['Read.File-2', 'Read.File-2'],
    ['read file', 'read_file'],
    ['a/b:c@d#e', 'a_b_c_d_e'],
    ['2fa', '_2fa'],
    ['.hidden', '_.hidden'],
    ['../../etc/passwd', '_.._.._etc_passwd'],
    ["'; DROP TABLE tools; --", '___DROP_TABLE_tools__--'],
    ['', '_'],
    ['\n', '_'],
    ['😀', '__'],
    ['n'.repeat(200), 'n'.repeat(128)],
    ['1'.repeat(200), `_${'1'.repeat(127)}`],
  ])('repair the name %j to %j', (text, expected) => {
    expect(repairName(text)).toBe(expected);
  });

  it.each([
    ['1.4.0', '1.4.0'],
    [' 2024-05\n', '2024-05'],
    ['1.0.0+build.7', '1.0.0-build.7'],
    ['v1 beta', 'v1-beta'],
    ['9'.repeat(40), '9'.repeat(32)],
    ['', undefined],
    [' \t\n', undefined],
  ])('repair the version %j to %j', (text, expected) => {
    expect(repairVersion(text)).toBe(expected);
  });

  it('do not change a valid part', () => {
    fc.assert(
      fc.property(validParts, ({ namespace, name, version }) => {
        expect(repairNamespace(namespace)).toBe(namespace);
        expect(repairName(name)).toBe(name);
        if (version) expect(repairVersion(version)).toBe(version);
      }),
    );
  });

  it('return a valid part for any text, and are idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyUnit, size: 'large' }), (text) => {
        const namespace = repairNamespace(text);
        const name = repairName(text);
        const version = repairVersion(text);
        expect(formatToolId({ namespace, name, ...(version && { version }) })).toMatch(GRAMMAR);
        expect(repairNamespace(namespace)).toBe(namespace);
        expect(repairName(name)).toBe(name);
        if (version) expect(repairVersion(version)).toBe(version);
      }),
    );
  });
});

describe('ids of 3,000 hostile names', () => {
  /** Names with their ids, which must never change. */
  const HOSTILE = [
    ['', 'mcp:_#2f974b77'],
    [' ', 'mcp:_#4e5c922f'],
    ['\0', 'mcp:_#c9d3e782'],
    ['\n\r\n', 'mcp:___#c735fe5e'],
    ['\u200b', 'mcp:_#4f9be802'],
    ['\ufeff', 'mcp:_#5d6397cc'],
    ['#@:/', 'n---:_#ff51b1fc'],
    ['::', 'mcp:__#7c900c28'],
    ['a@b', 'mcp:a_b#e93c34a2'],
    ['a#deadbeef', 'mcp:a_deadbeef#6be06f96'],
    ['mcp:read@1#deadbeef', 'mcp:mcp_read_1_deadbeef#2bb458dc'],
    ['resource::fs:readme', 'mcp:resource__fs_readme#c5bdac53'],
    ['../../../etc/passwd', 'n--:_.._.._etc_passwd#6ea8a611'],
    ['..\\..\\windows\\system32', 'mcp:_.._.._windows_system32#8990c4dd'],
    ['file:///etc/shadow', 'file-:__etc_shadow#74ca00ab'],
    ["Robert'); DROP TABLE tools;--", 'mcp:Robert____DROP_TABLE_tools_--#854c566b'],
    ['" OR 1=1 --', 'mcp:__OR_1_1_--#572f3a00'],
    ['$(id)`id`', 'mcp:__id__id_#35009be9'],
    ['{{7*7}}', 'mcp:__7_7__#2ffaf4f6'],
    ['<script>alert(1)</script>', 'n-script-alert-1--:script_#f6a19a80'],
    ['\u001b[2J\u001b]0;owned\u0007', 'mcp:__2J__0_owned_#17b3ebc0'],
    ['\u202egnp.exe', 'n-gnp:exe#21726de4'],
    ['مرحبا', 'mcp:_____#584b4f11'],
    ['שלום עולם', 'mcp:_________#d0cdd343'],
    ['👩\u200d👩\u200d👧\u200d👦', 'mcp:___________#a15bfedb'],
    ['🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 'mcp:______________#ccab7ba5'],
    ['क्\u200dष', 'mcp:____#fbb59a4b'],
    ['e\u0301', 'mcp:e_#47903c8a'],
    ['é', 'mcp:_#bc67e336'],
    ['NUL', 'mcp:NUL#eb12a71c'],
    ['__proto__', 'mcp:__proto__#b53df749'],
    ['constructor', 'mcp:constructor#b1342668'],
    ['...', 'mcp:_...#c950aef0'],
    ['///', 'mcp:___#9e6ff4d8'],
    ['___', 'mcp:___#cd83f51d'],
    ['undefined', 'mcp:undefined#420ab1fc'],
    ['%00%0a', 'mcp:_00_0a#8ebbe03d'],
  ] as const;
  const hostilePiece = fc.oneof(
    fc.constantFrom(...HOSTILE.map(([name]) => name)),
    fc.string({ unit: anyUnit }),
    fc.string({ unit: halfPair }),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'#@:/._-\\\n\r\t\0\u001b\u202e\u200f ') }),
  );
  const hostileName = fc.oneof(
    { weight: 6, arbitrary: hostilePiece },
    { weight: 6, arbitrary: fc.array(hostilePiece, { maxLength: 4 }).map((pieces) => pieces.join('.')) },
    // Names that differ only in what repair replaces.
    {
      weight: 6,
      arbitrary: fc
        .array(fc.constantFrom('read', ' ', '/', '\n', '€', '💥', '?'), { maxLength: 6 })
        .map((p) => p.join('')),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(hostilePiece, nastyUnit).map(([head, unit]) => head + unit.repeat(10_000)),
    },
  );
  const names = fc.sample(hostileName, { numRuns: 3_000, seed: 20_240_514 });

  function idOf(upstreamName: string, configured?: string): string {
    const { namespace, name } = configured
      ? { namespace: configured, name: upstreamName }
      : inferNamespace(upstreamName);
    return formatToolId({
      namespace: repairNamespace(namespace),
      name: repairName(name),
      hash8: toolShapeHash(upstreamName, undefined),
    });
  }

  it('come from invalid names, among them long ones and lone surrogates', () => {
    expect(names).toHaveLength(3_000);
    expect(names.filter((name) => !isToolId(`mcp:${name}`)).length).toBeGreaterThan(2_000);
    expect(names.filter((name) => name.length >= 10_000).length).toBeGreaterThan(50);
    expect(names.filter((name) => !name.isWellFormed()).length).toBeGreaterThan(200);
  });

  it('parse and format to the same id, with an inferred and with a configured namespace', () => {
    for (const name of names) {
      for (const id of [idOf(name), idOf(name, 'Files & Folders')]) {
        expect(id).toMatch(GRAMMAR);
        expect(formatToolId(parseToolId(id))).toBe(id);
      }
    }
  });

  it('differ for names that are equal after repair', () => {
    // UTF-8 encodes every lone surrogate alike, so a hash cannot distinguish names that contain one.
    const distinct = [...new Set(names)].filter((name) => name.isWellFormed());
    const repaired = new Set(distinct.map(repairName));
    expect(repaired.size).toBeLessThan(distinct.length);
    expect(new Set(distinct.map((name) => idOf(name, 'files'))).size).toBe(distinct.length);
  });

  it.each(HOSTILE)('stay the same in every version: %j has the id %s', (name, id) => {
    expect(idOf(name)).toBe(id);
  });
});
