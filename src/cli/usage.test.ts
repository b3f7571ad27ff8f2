import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { machineWith } from '../../test/cli.ts';
import { EXIT } from './exit-codes.ts';

// One test starts several processes in sequence.
vi.setConfig({ testTimeout: 240_000 });

const COMMANDS = [
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
  'calls',
  'calls list',
  'calls show',
  'calls tail',
  'calls unresolved',
  'calls resolve',
  'examples',
  'examples list',
  'examples clear',
  'import',
  'doctor',
  'config',
  'config explain',
  'config schema',
];

describe('--help', () => {
  it.each(COMMANDS)('shows examples of toolgate %s', async (command) => {
    const { code, stdout, stderr } = await machineWith().run([...command.split(' '), '--help']);
    expect(code).toBe(EXIT.ok);
    expect(stderr).toBe('');
    const [, examples] = stdout.split('Examples:\n');
    expect(examples?.trim().split('\n')[0]).toContain(`toolgate ${command}`);
  });

  it('lists every command and every exit code', async () => {
    const { code, stdout } = await machineWith().run(['--help']);
    expect(code).toBe(EXIT.ok);
    for (const command of COMMANDS.filter((name) => !name.includes(' ')))
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    for (const number of Object.values(EXIT)) expect(stdout).toMatch(new RegExp(`[ \\n]${number} `));
  });

  it('is printed as an error if the command or subcommand is missing', async () => {
    for (const args of [[], ['catalog'], ['config']]) {
      const { code, stdout, stderr } = await machineWith().run(args);
      expect(code).toBe(EXIT.usage);
      expect(stdout).toBe('');
      expect(stderr).toContain('Examples:');
    }
  });

  it('has a --version beside it', async () => {
    const { code, stdout } = await machineWith().run(['--version']);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});

describe('an invalid command line', () => {
  it.each([
    [['brows', 'x'], "unknown command 'brows'", '(Did you mean browse?)'],
    [['browse'], "missing required argument 'query-or-path'", '--help'],
    [['browse', 'x', '--top', '3'], "unknown option '--top'", '--help'],
    [['serve', '--port', 'eighty'], 'It must be a whole number', '--help'],
    [['call', 'a:b', '{}', 'more'], 'too many arguments', '--help'],
    [['serve', '--port'], "option '-p, --port <port>' argument missing", '--help'],
    [['call', '/a/b', '{message: hi}'], 'The arguments are not valid JSON', `'{"message":"hi"}'`],
    [['view', 'art_1', '{lines'], 'The selector is not valid JSON', `'{"lines":{"start":1,"end":40}}'`],
  ])('reports the error and the next step: %j', async (args, error, next) => {
    const machine = machineWith({ 'toolgate.yaml': '' });
    const plain = await machine.run(args);
    expect(plain.code).toBe(EXIT.usage);
    expect(plain.stdout).toBe('');
    expect(plain.stderr).toContain(error);
    expect(plain.stderr).toContain(next);
    const json = await machine.run([...args, '--json']);
    expect(json.code).toBe(EXIT.usage);
    expect(JSON.parse(json.stdout).error).toMatchObject({ code: 'USAGE' });
  });
});

describe('a missing config', () => {
  it('is reported with the next steps', async () => {
    const { code, stdout, stderr } = await machineWith().run(['doctor']);
    expect(code).toBe(EXIT.usage);
    expect(stdout).toBe('');
    expect(stderr).toContain('no toolgate.yaml was found in the current folder');
    expect(stderr).toContain('toolgate import');
    expect(stderr).toContain('--config FILE');
  });

  it('is reported by the name that was given', async () => {
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

describe('an invalid config', () => {
  it('is refused with every problem', async () => {
    const machine = machineWith({ 'toolgate.yaml': 'profil: team\nserver: { prot: 1 }\n' });
    for (const args of [['doctor'], ['config', 'explain'], ['serve'], ['stdio'], ['browse', 'x']]) {
      const { code, stdout, stderr } = await machine.run(args);
      expect(code).toBe(EXIT.usage);
      expect(stdout).toBe('');
      expect(stderr).toContain('profil: unknown key; did you mean "profile"?');
      expect(stderr).toContain('server.prot: unknown key; did you mean "port"?');
    }
  });

  it('fails without a stack if the store cannot be opened', async () => {
    const machine = machineWith({ 'toolgate.yaml': 'store: { sqlite: toolgate.yaml/x.sqlite }\n' });
    const { code, stdout, stderr } = await machine.run(['doctor']);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^FAILED: .+\n$/);
  });
});

describe('toolgate config explain', () => {
  it('shows values of the file and defaults, and hides secrets', async () => {
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
