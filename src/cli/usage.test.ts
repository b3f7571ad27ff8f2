import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { machineWith } from '../../test/cli.ts';
import { EXIT } from './exit-codes.ts';

// One test starts several processes, one after another.
vi.setConfig({ testTimeout: 240_000 });

const VERBS = [
  'serve',
  'stdio',
  'browse',
  'affordances',
  'call',
  'view',
  'catalog',
  'catalog list',
  'catalog show',
  'catalog report',
  'import',
  'doctor',
  'config',
  'config explain',
  'config schema',
];

describe('help', () => {
  it.each(VERBS)('of %s has examples of it', async (verb) => {
    const { code, stdout, stderr } = await machineWith().run([...verb.split(' '), '--help']);
    expect(code).toBe(EXIT.ok);
    expect(stderr).toBe('');
    const [, examples] = stdout.split('Examples:\n');
    expect(examples?.trim().split('\n')[0]).toContain(`toolgate ${verb}`);
  });

  it('of all names every verb and every exit code', async () => {
    const { code, stdout } = await machineWith().run(['--help']);
    expect(code).toBe(EXIT.ok);
    for (const verb of VERBS.filter((name) => !name.includes(' ')))
      expect(stdout).toMatch(new RegExp(`^  ${verb}\\b`, 'm'));
    for (const number of Object.values(EXIT)) expect(stdout).toMatch(new RegExp(`[ \\n]${number} `));
  });

  it('is what a bare command and a bare group give, as a mistake', async () => {
    for (const args of [[], ['catalog'], ['config']]) {
      const { code, stdout, stderr } = await machineWith().run(args);
      expect(code).toBe(EXIT.usage);
      expect(stdout).toBe('');
      expect(stderr).toContain('Examples:');
    }
  });

  it('has the version', async () => {
    const { code, stdout } = await machineWith().run(['--version']);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});

describe('a wrong command', () => {
  it.each([
    [['brows', 'x'], "unknown command 'brows'", '(Did you mean browse?)'],
    [['browse'], "missing required argument 'query-or-path'", '--help'],
    [['browse', 'x', '--top', '3'], "unknown option '--top'", '--help'],
    [['serve', '--port', 'eighty'], 'It must be a whole number', '--help'],
    [['call', 'a:b', '{}', 'more'], 'too many arguments', '--help'],
    [['serve', '--port'], "option '-p, --port <port>' argument missing", '--help'],
    [['call', '/a/b', '{message: hi}'], 'The arguments are not JSON', `'{"message":"hi"}'`],
    [['view', 'art_1', '{lines'], 'The selector is not JSON', `'{"lines":{"start":1,"end":40}}'`],
  ])('says what is wrong and what to do: %j', async (args, wrong, todo) => {
    const machine = machineWith({ 'toolgate.yaml': '' });
    const plain = await machine.run(args);
    expect(plain.code).toBe(EXIT.usage);
    expect(plain.stdout).toBe('');
    expect(plain.stderr).toContain(wrong);
    expect(plain.stderr).toContain(todo);
    const json = await machine.run([...args, '--json']);
    expect(json.code).toBe(EXIT.usage);
    expect(JSON.parse(json.stdout).error).toMatchObject({ code: 'USAGE' });
  });
});

describe('a config that is not there', () => {
  it('is asked for, with what to do', async () => {
    const { code, stdout, stderr } = await machineWith().run(['doctor']);
    expect(code).toBe(EXIT.usage);
    expect(stdout).toBe('');
    expect(stderr).toContain('there is no toolgate.yaml here');
    expect(stderr).toContain('toolgate import');
    expect(stderr).toContain('--config FILE');
  });

  it('under the name that was given is missed by that name', async () => {
    const machine = machineWith();
    const { code, stdout, stderr } = await machine.run([
      'catalog',
      'list',
      '--config',
      'mine.yaml',
      '--json',
    ]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).error.message).toContain(
      `${join(machine.folder, 'mine.yaml')}:\n  the file does not exist`,
    );
  });

  it('is not needed for the schema', async () => {
    const { code, stdout } = await machineWith().run(['config', 'schema']);
    expect(code).toBe(EXIT.ok);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', additionalProperties: false });
  });
});

describe('a config that is wrong', () => {
  it('is refused with every mistake', async () => {
    const machine = machineWith({ 'toolgate.yaml': 'profil: team\nserver: { prot: 1 }\n' });
    for (const args of [['doctor'], ['config', 'explain'], ['serve'], ['stdio'], ['browse', 'x']]) {
      const { code, stdout, stderr } = await machine.run(args);
      expect(code).toBe(EXIT.usage);
      expect(stdout).toBe('');
      expect(stderr).toContain('profil: unknown key; did you mean "profile"?');
      expect(stderr).toContain('server.prot: unknown key; did you mean "port"?');
    }
  });

  it('by a store that cannot be opened fails the gateway, without a stack', async () => {
    const machine = machineWith({ 'toolgate.yaml': 'store: { sqlite: toolgate.yaml/x.sqlite }\n' });
    const { code, stdout, stderr } = await machine.run(['doctor']);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^FAILED: .+\n$/);
  });
});

describe('toolgate config explain', () => {
  it('shows file and defaults, and hides secrets', async () => {
    const machine = machineWith({
      'toolgate.yaml': 'profile: team\nupstreams: { a: { command: x, env: { TOKEN: s3cr3t } } }\n',
    });
    const plain = await machine.run(['config', 'explain']);
    expect(plain.code).toBe(EXIT.ok);
    expect(plain.stdout).toContain(`file  ${join(machine.folder, 'toolgate.yaml')}\n`);
    expect(plain.stdout).toContain('profile = "team"  (file)\n');
    expect(plain.stdout).toContain('server.port = 7332  (default)\n');
    expect(plain.stdout).toContain('upstreams.a.env.TOKEN = "(hidden)"  (file)\n');
    const json = await machine.run(['config', 'explain', '--json']);
    expect(JSON.parse(json.stdout).keys).toContainEqual({ key: 'profile', value: 'team', origin: 'file' });
    expect(plain.stdout + json.stdout).not.toContain('s3cr3t');
  });
});
