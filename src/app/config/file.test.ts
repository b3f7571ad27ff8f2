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
  throw new Error('nothing was wrong');
}

describe('a config file', () => {
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
  ])('is read: %s %j', (name, text) => {
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
  ])('may be empty: %s %j', (name, text) => {
    expect(readConfigFile(fileWith(name, text))).toEqual({});
  });

  it('may have keys that are still empty', () => {
    const text = 'profile: team\nupstreams:\n  # a: { command: x }\nserver:\n';
    expect(readConfigFile(fileWith('a.yaml', text))).toEqual({ profile: 'team' });
  });

  it.each([
    ['a.yaml', '- a\n- b\n'],
    ['a.json', '[{}]'],
    ['a.yaml', 'just words'],
    ['a.json', '7'],
  ])('must hold keys and values: %s %j', (name, text) => {
    expect(problemsOf(() => readConfigFile(fileWith(name, text)))).toEqual([
      'it must hold keys and values, not a list or a single value',
    ]);
  });

  it.each([
    ['a.yaml', 'profile: team\nserver:\n\tport: 1\n', /^not YAML: .* at line 3/],
    ['a.yaml', 'a: 1\na: 2\n', /^not YAML: .*unique.* at line 2/],
    ['a.yaml', 'a: [1, 2\n', /^not YAML: .* at line \d/],
    ['a.json', '{\n  "a": 1\n  "b": 2\n}', /^not JSON: CommaExpected in line 3$/],
    ['a.json', '{"a": ', /^not JSON: \w+ in line 1$/],
    ['a.json', "{'a': 1}", /^not JSON: \w+ in line 1$/],
  ])('that is broken says where: %s %j', (name, text, problem) => {
    const problems = problemsOf(() => readConfigFile(fileWith(name, text)));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
    expect(problems[0]).not.toContain('\n');
  });

  it('that cannot be read says why', () => {
    const folder = folderWith({ 'sub/x': '' });
    expect(problemsOf(() => readConfigFile(join(folder, 'none.yaml')))).toEqual([
      'the file cannot be read (ENOENT)',
    ]);
    expect(problemsOf(() => readConfigFile(join(folder, 'sub')))).toEqual([
      'the file cannot be read (EISDIR)',
    ]);
  });

  it('that grows without end by its own aliases is refused', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 8; i++) {
      const before = String.fromCharCode(96 + i);
      bomb.push(
        `${String.fromCharCode(97 + i)}: &${String.fromCharCode(97 + i)} [${Array(10).fill(`*${before}`)}]`,
      );
    }
    expect(problemsOf(() => readConfigFile(fileWith('bomb.yaml', bomb.join('\n'))))[0]).toMatch(
      /^not YAML: /,
    );
  });
});
