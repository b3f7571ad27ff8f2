import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileWith, folderWith } from '../../../test/folder.ts';
import { ConfigError } from './config-error.ts';
import { readConfigFile } from './file.ts';

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems;
    throw thrown;
  }
  throw new Error('no problem was reported');
}

describe('readConfigFile', () => {
  it.each([
    ['a.yaml', 'profile: team\nserver:\n  port: 1\n'],
    ['a.yml', '# why\nprofile: team\nserver: { port: 1 }'],
    ['a.YAML', 'profile: team\nserver: { port: 1 }'],
    ['a.json', '{"profile":"team","server":{"port":1}}'],
    ['a.json', '{\n  // why\n  "profile": "team", /* and */ "server": {"port": 1,},\n}'],
    ['a.jsonc', '{ "profile": "team", "server": { "port": 1 } } // end'],
    ['claude', '{"profile":"team","server":{"port":1}}'],
    ['bom.yaml', '\ufeffprofile: team\nserver: { port: 1 }'],
    ['bom.json', '\ufeff{"profile":"team","server":{"port":1}}'],
    ['crlf.yaml', 'profile: team\r\nserver:\r\n  port: 1\r\n'],
  ])('reads YAML, JSON and JSON with comments: %s %j', (name, text) => {
    expect(readConfigFile(fileWith(name, text))).toEqual({ profile: 'team', server: { port: 1 } });
  });

  it.each([
    ['a.yaml', ''],
    ['a.yaml', '# nothing yet\n'],
    ['a.yaml', '\ufeff'],
    ['a.yaml', '---\n...\n'],
    ['a.json', ''],
    ['a.json', ' \n'],
    ['a.json', '// nothing yet\n'],
    ['a.json', 'null'],
  ])('reads an empty file as an empty config: %s %j', (name, text) => {
    expect(readConfigFile(fileWith(name, text))).toEqual({});
  });

  it('ignores keys without a value', () => {
    const text = 'profile: team\nupstreams:\n  # a: { command: x }\nserver:\n';
    expect(readConfigFile(fileWith('a.yaml', text))).toEqual({ profile: 'team' });
  });

  it.each([
    ['a.yaml', '- a\n- b\n'],
    ['a.json', '[{}]'],
    ['a.yaml', 'just words'],
    ['a.json', '7'],
  ])('refuses a file that is not an object: %s %j', (name, text) => {
    expect(problemsOf(() => readConfigFile(fileWith(name, text)))).toEqual([
      'the file must be an object with keys, not a list or a single value',
    ]);
  });

  it.each([
    ['a.yaml', 'profile: team\nserver:\n\tport: 1\n', /^invalid YAML: .* at line 3/],
    ['a.yaml', 'a: 1\na: 2\n', /^invalid YAML: .*unique.* at line 2/],
    ['a.yaml', 'a: [1, 2\n', /^invalid YAML: .* at line \d/],
    ['a.json', '{\n  "a": 1\n  "b": 2\n}', /^invalid JSON: CommaExpected in line 3$/],
    ['a.json', '{"a": ', /^invalid JSON: \w+ in line 1$/],
    ['a.json', "{'a': 1}", /^invalid JSON: \w+ in line 1$/],
  ])('reports the line of a syntax error: %s %j', (name, text, problem) => {
    const problems = problemsOf(() => readConfigFile(fileWith(name, text)));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
    expect(problems[0]).not.toContain('\n');
  });

  it('reports why a file cannot be read', () => {
    const folder = folderWith({ 'sub/x': '' });
    expect(problemsOf(() => readConfigFile(join(folder, 'none.yaml')))).toEqual([
      'the file cannot be read (ENOENT)',
    ]);
    expect(problemsOf(() => readConfigFile(join(folder, 'sub')))).toEqual([
      'the file cannot be read (EISDIR)',
    ]);
  });

  it('refuses YAML whose aliases expand exponentially', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 8; i++) {
      const before = String.fromCharCode(96 + i);
      bomb.push(
        `${String.fromCharCode(97 + i)}: &${String.fromCharCode(97 + i)} [${Array(10).fill(`*${before}`)}]`,
      );
    }
    expect(problemsOf(() => readConfigFile(fileWith('bomb.yaml', bomb.join('\n'))))[0]).toMatch(
      /^invalid YAML: /,
    );
  });
});
