// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in config files look like template placeholders
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileWith, folderWith } from '../../../test/folder.ts';
import { ConfigError } from './config-error.ts';
import { type Config, loadConfig } from './load.ts';

beforeEach(() => {
  for (const name of ['TOOLGATE_CONFIG', 'TOOLGATE_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'MISSING'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('SECRET_TOKEN', 's3cr3t');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function problems(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems;
    throw thrown;
  }
  throw new Error('no problem was reported');
}

function yaml(text: string): Config {
  return loadConfig({ file: fileWith('toolgate.yaml', text) });
}

function upstream(config: Config, namespace: string): Config['upstreams'][number] {
  const found = config.upstreams.find((entry) => entry.namespace === namespace);
  if (!found) throw new Error(`no upstream ${namespace}`);
  return found;
}

describe('loadConfig defaults', () => {
  it('listens on loopback, uses profile personal, and stores in the state folder', () => {
    const config = loadConfig({ settings: {} });
    expect(config.settings).toMatchObject({
      profile: 'personal',
      surface: 'gateway',
      server: { host: '127.0.0.1', port: 7332, allowedHosts: [], allowedOrigins: [] },
      identity: { localScopes: [] },
      log: { level: 'warn' },
      upstreams: {},
    });
    expect(config.upstreams).toEqual([]);
    expect(config.stateFolder).toBe(join(homedir(), '.local', 'state', 'toolgate'));
    expect(config.sqliteFile).toBe(join(config.stateFolder, 'toolgate.sqlite'));
    expect(config.file).toBeUndefined();
  });

  it('passes what a child process needs to reach the network', () => {
    vi.stubEnv('https_proxy', 'http://proxy:8080');
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ca.pem');
    vi.stubEnv('npm_config_registry', 'https://r.example');
    const { childEnvironment, registryEnvironment } = loadConfig({ settings: {} });
    expect(childEnvironment).toMatchObject({
      https_proxy: 'http://proxy:8080',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    });
    expect(childEnvironment).not.toHaveProperty('npm_config_registry');
    expect(registryEnvironment).toMatchObject({ npm_config_registry: 'https://r.example' });
  });

  it('passes only a minimal environment to child processes', () => {
    expect(loadConfig({ settings: {} }).childEnvironment).not.toHaveProperty('SECRET_TOKEN');
    expect(loadConfig({ settings: {} }).childEnvironment).toHaveProperty('PATH');
  });

  it.each([
    [{ TOOLGATE_HOME: '/h' }, '/h'],
    [{ XDG_STATE_HOME: '/s' }, '/s/toolgate'],
    [{ TOOLGATE_HOME: '/h', XDG_STATE_HOME: '/s' }, '/h'],
  ])('takes the state folder from the environment: %j', (env, folder) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(loadConfig({ settings: {} }).stateFolder).toBe(folder);
  });
});

describe('loadConfig file', () => {
  it('prefers the named file, then TOOLGATE_CONFIG, then the current folder, then the user’s config folder', () => {
    const here = folderWith({ 'toolgate.yml': 'profile: team', 'other.yaml': 'profile: production' });
    const own = folderWith({ 'toolgate/toolgate.json': '{}' });
    vi.stubEnv('XDG_CONFIG_HOME', own);
    const cwd = vi.spyOn(process, 'cwd');
    cwd.mockReturnValue(folderWith());
    expect(loadConfig().file).toBe(join(own, 'toolgate', 'toolgate.json'));
    cwd.mockReturnValue(here);
    expect(loadConfig().file).toBe(join(here, 'toolgate.yml'));
    vi.stubEnv('TOOLGATE_CONFIG', join(here, 'other.yaml'));
    expect(loadConfig().settings.profile).toBe('production');
    expect(loadConfig({ file: join(here, 'toolgate.yml') }).settings.profile).toBe('team');
    expect(loadConfig({ settings: { profile: 'personal' } }).settings.profile).toBe('personal');
  });

  it('reports a named file that does not exist', () => {
    const folder = folderWith();
    expect(problems(() => loadConfig({ file: join(folder, 'none.yaml') }))).toEqual([
      'the file does not exist',
    ]);
    vi.stubEnv('TOOLGATE_CONFIG', join(folder, 'none.yaml'));
    expect(problems(() => loadConfig())).toEqual(['the file does not exist']);
  });

  it('names the file in the error', () => {
    const file = fileWith('toolgate.yaml', 'profil: team');
    expect(() => loadConfig({ file })).toThrow(`${file}:\n  profil: unknown key; did you mean "profile"?`);
  });

  it('applies the defaults for an empty file', () => {
    expect(yaml('').settings).toEqual(loadConfig({ settings: {} }).settings);
  });
});

describe('loadConfig problems', () => {
  it.each([
    ['profil: team', 'profil: unknown key; did you mean "profile"?'],
    ['banana: 1', 'banana: unknown key'],
    ['server: { prot: 1 }', 'server.prot: unknown key; did you mean "port"?'],
    [
      'results: { thresholdToken: 1 }',
      'results.thresholdToken: unknown key; did you mean "thresholdTokens"?',
    ],
    [
      'upstreams: { gh: { comand: npx, command: npx } }',
      'upstreams.gh.comand: unknown key; did you mean "command"?',
    ],
    ['upstreams: { a.b: { command: x, urls: y } }', 'upstreams.a.b.urls: unknown key; did you mean "url"?'],
    ['profile: persnal', /^profile: .*"personal"\|"team"\|"production"/],
    ['server: { port: 70000 }', /^server\.port: .*65535/],
    ['server: 7', /^server: .*object/],
    ['upstreams: [a]', /^upstreams: /],
    ['upstreams: { a: npx }', /^upstreams\.a: /],
    ['upstreams: { a: {} }', 'upstreams.a: give either "command" or "url"'],
    ['upstreams: { a: { command: x, url: "http://y" } }', 'upstreams.a: give either "command" or "url"'],
    ['upstreams: { a: { url: "not an address" } }', 'upstreams.a.url: not an http or https address'],
    ['upstreams: { a: { url: "file:///etc/passwd" } }', 'upstreams.a.url: not an http or https address'],
    ['upstreams: { a: { command: x, env: { PORT: 3000 } } }', /^upstreams\.a\.env\.PORT: .*string/],
    ['mcpServers: { a: { args: [] } }', 'mcpServers.a: give either "command" or "url"'],
    ['store: { sqlite: a, postgres: b }', 'store: give "sqlite" or "postgres", not both'],
    ['store: { postgres: "${env:MISSING}" }', 'store: ${env:MISSING}: the environment variable is not set'],
    ['upstreams: { a: { command: x, breakerFailures: 2 } }', /^upstreams\.a\.breakerFailures: unknown key/],
    ['upstreams: { a: { command: x, breakerRestMs: 2 } }', /^upstreams\.a\.breakerRestMs: unknown key/],
    ['idempotency: { whileRunning: wait }', /^idempotency\.whileRunning: unknown key/],
    ['catalog: { overBudget: flag }', /^catalog\.overBudget: unknown key/],
    ['catalog: { onInvalid: raise }', /^catalog\.onInvalid: .*"report"\|"fail"/],
    ['tools: { "a:b": { repeatable: true } }', /^tools\.a:b\.repeatable: unknown key/],
    ['tools: { "a:b": { keyArgument: k } }', /^tools\.a:b\.keyArgument: unknown key/],
  ])('refuses an invalid config with one problem: %s', (text, problem) => {
    const found = problems(() => yaml(text));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(problem);
  });

  it('lists every problem at once', () => {
    const text = `
profil: team
server: { prot: 1, port: no }
log: { level: loud }
store: { postgres: "\${env:MISSING}" }
upstreams:
  a: { comand: x }
  b: { command: x, url: "http://y" }
  GitHub: { command: x }
mcpServers:
  github: { command: y }
  c: { url: 7 }
`;
    const found = problems(() => yaml(text));
    expect(found.map((problem) => problem.split(':')[0]).toSorted()).toEqual([
      'log.level',
      'mcpServers.c.url',
      'mcpServers.github',
      'profil',
      'server.port',
      'server.prot',
      'store',
      'upstreams.a',
      'upstreams.a.comand',
      'upstreams.b',
    ]);
  });

  it('refuses invalid settings of an embedding program', () => {
    expect(problems(() => loadConfig({ settings: { profil: 'team' } }))).toEqual([
      'profil: unknown key; did you mean "profile"?',
    ]);
  });
});

describe('namespaces of upstreams', () => {
  it.each([
    ['upstreams: { GitHub: { command: a }, github: { command: b } }', 'upstreams.github'],
    ['upstreams: { a: { command: a } }\nmcpServers: { a: { command: b } }', 'mcpServers.a'],
    ['mcpServers: { a b: { command: a } }\nservers: { a-b: { command: b } }', 'servers.a-b'],
  ])('must be unique: %s', (text, at) => {
    expect(problems(() => yaml(text))).toEqual([
      expect.stringMatching(new RegExp(`^${at}: another upstream already has the namespace "`)),
    ]);
  });

  it('are derived from any key', () => {
    const config = yaml('upstreams: { "My Server!": { command: a }, 7zip: { command: b } }');
    expect(config.upstreams.map(({ namespace }) => namespace)).toEqual(['my-server-', 'n7zip']);
  });
});

describe('references to secrets', () => {
  it('are resolved in upstreams and in the store', () => {
    const folder = folderWith({
      'toolgate.yaml': `
upstreams:
  a:
    command: "\${env:SECRET_TOKEN}"
    args: ["--token=\${SECRET_TOKEN}"]
    env: { TOKEN: "\${file:token}", OTHER: "\${MISSING:-spare}" }
    cwd: work
  b: { url: "https://x.example/\${SECRET_TOKEN}", headers: { Authorization: "Bearer \${env:SECRET_TOKEN}" } }
store: { postgres: "postgres://u:\${SECRET_TOKEN}@h/d" }
`,
      token: 'from file\n',
    });
    const config = loadConfig({ file: join(folder, 'toolgate.yaml') });
    expect(upstream(config, 'a')).toMatchObject({
      unusable: undefined,
      settings: {
        command: 's3cr3t',
        args: ['--token=s3cr3t'],
        env: { TOKEN: 'from file', OTHER: 'spare' },
        cwd: join(folder, 'work'),
      },
    });
    expect(upstream(config, 'b').settings).toMatchObject({
      url: 'https://x.example/s3cr3t',
      headers: { Authorization: 'Bearer s3cr3t' },
    });
    expect(config.settings.store.postgres).toBe('postgres://u:s3cr3t@h/d');
    expect(JSON.stringify(config.rawSettings)).not.toContain('s3cr3t');
  });

  it('make only their own upstream unusable when they are unresolved', () => {
    const config = yaml(`
upstreams:
  a: { command: x, env: { TOKEN: "\${env:MISSING}" } }
  b: { command: y }
  c: { url: "\${MISSING}" }
  d: { url: "\${SECRET_TOKEN}" }
  e: { command: x, headers: { A: "\${file:missing}" } }
`);
    expect(config.upstreams.map(({ namespace, unusable }) => [namespace, unusable])).toEqual([
      ['a', '${env:MISSING}: the environment variable is not set'],
      ['b', undefined],
      ['c', '${MISSING}: the environment variable is not set'],
      ['d', 'url: the value of ${SECRET_TOKEN} is not an http or https address'],
      ['e', '${file:missing}: the file cannot be read'],
    ]);
  });
});

describe('relative paths in the file', () => {
  it('start at the folder of the file', () => {
    const folder = folderWith({ 'toolgate.yaml': 'store: { sqlite: data/x.sqlite }' });
    expect(loadConfig({ file: join(folder, 'toolgate.yaml') }).sqliteFile).toBe(
      join(folder, 'data/x.sqlite'),
    );
    expect(loadConfig({ settings: { store: { sqlite: ':memory:' } } }).sqliteFile).toBe(':memory:');
  });
});

const CLIENTS = new URL('../../../test/fixtures/clients/', import.meta.url);

/** A client's config file at the path where the client keeps it. */
function client(name: string, place: string, more: Readonly<Record<string, string>> = {}): Config {
  const folder = folderWith({ [place]: readFileSync(new URL(name, CLIENTS), 'utf8'), ...more });
  return loadConfig({ file: join(folder, place) });
}

describe('config files of MCP clients', () => {
  it('loads the file of Claude Desktop', () => {
    const config = client('claude_desktop_config.json', 'Claude/claude_desktop_config.json');
    expect(config.upstreams.map(({ namespace, unusable }) => [namespace, unusable])).toEqual([
      ['filesystem', undefined],
      ['github', undefined],
      ['remote-notes', undefined],
    ]);
    expect(upstream(config, 'github').settings).toMatchObject({
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'ghcr.io/github/github-mcp-server'],
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' },
      enabled: true,
    });
    expect(config.rawSettings).not.toHaveProperty('globalShortcut');
  });

  it('loads the user file of Claude Code', () => {
    vi.stubEnv('AIRTABLE_API_KEY', 'key');
    const config = client('claude.json', '.claude.json');
    expect(upstream(config, 'sentry').settings).toMatchObject({
      url: 'https://mcp.sentry.dev/mcp',
      transport: 'streamable',
    });
    expect(upstream(config, 'linear').settings).toMatchObject({
      url: 'https://mcp.linear.app/sse',
      transport: 'sse',
    });
    expect(upstream(config, 'airtable').settings.env).toEqual({ AIRTABLE_API_KEY: 'key' });
  });

  it('loads the project file of Claude Code', () => {
    const missing = client('project.mcp.json', '.mcp.json');
    expect(upstream(missing, 'api').unusable).toBe('${API_KEY}: the environment variable is not set');
    expect(upstream(missing, 'builds')).toMatchObject({
      unusable: undefined,
      settings: { args: ['--cache', '/tmp/builds'] },
    });
    vi.stubEnv('API_KEY', 'key');
    vi.stubEnv('API_BASE_URL', 'http://localhost:9');
    const config = client('project.mcp.json', '.mcp.json');
    expect(upstream(config, 'api')).toMatchObject({
      unusable: undefined,
      settings: { url: 'http://localhost:9/mcp', headers: { Authorization: 'Bearer key' } },
    });
  });

  it('loads the file of Cursor', () => {
    vi.stubEnv('CURSOR_API_KEY', 'key');
    const missing = client('cursor.mcp.json', '.cursor/mcp.json');
    expect(upstream(missing, 'local').unusable).toMatch(/^envFile: .*\/\.env: the file cannot be read$/);
    const config = client('cursor.mcp.json', '.cursor/mcp.json', { '.env': 'API_KEY=other\nDEBUG="a b"\n' });
    const { args, env } = upstream(config, 'local').settings;
    expect(args[0]).toMatch(/toolgate-test-\w+\/tools\/server\.js$/);
    expect(env).toEqual({ API_KEY: 'key', DEBUG: 'a b' });
    expect(upstream(config, 'remote').settings.headers).toEqual({ 'X-Api-Key': 'key' });
  });

  it('loads the file of VS Code', () => {
    const config = client('vscode.mcp.json', '.vscode/mcp.json');
    expect(upstream(config, 'github').settings).toMatchObject({
      url: 'https://api.githubcopilot.com/mcp/',
      transport: 'streamable',
    });
    expect(upstream(config, 'perplexity').unusable).toMatch(
      /^\$\{input:perplexity-key\}: inputs cannot be prompted for/,
    );
    expect(upstream(config, 'fetch')).toMatchObject({ unusable: undefined, settings: { command: 'uvx' } });
    expect(upstream(config, 'fetch').settings.cwd).toMatch(/toolgate-test-\w+$/);
  });

  it('loads the file of Windsurf', () => {
    vi.stubEnv('FIGMA_TOKEN', 'token');
    const config = client('windsurf.mcp_config.json', '.codeium/windsurf/mcp_config.json');
    expect(upstream(config, 'figma').settings).toMatchObject({
      url: 'https://mcp.figma.com/mcp',
      headers: { API_KEY: 'Bearer token' },
    });
    expect(upstream(config, 'playwright').settings.enabled).toBe(false);
    expect(upstream(config, 'memory').settings.enabled).toBe(true);
  });

  it('has a test for every sample', () => {
    expect(readdirSync(CLIENTS).toSorted()).toEqual([
      'claude.json',
      'claude_desktop_config.json',
      'cursor.mcp.json',
      'project.mcp.json',
      'vscode.mcp.json',
      'windsurf.mcp_config.json',
    ]);
  });
});

describe('entries under mcpServers', () => {
  const entry = (text: string) => yaml(`mcpServers: { a: { command: x, ${text} } }`);

  it('take every key that an entry under upstreams takes', () => {
    const keys = `
      args: [y], env: { A: b }, cwd: /, expose: internal, startTimeoutMs: 1, probeIntervalMs: 2,
      unknownArguments: pass, tolerantArguments: true, applyDefaults: false, maxConcurrent: 3, maxQueued: 4,
      circuitBreaker: { failureThreshold: 5 }, tools: { allow: [a], deny: [b] }, enabled: false`;
    const config = entry(keys);
    expect(upstream(config, 'a').settings).toEqual(
      upstream(yaml(`upstreams: { a: { command: x, ${keys} } }`), 'a').settings,
    );
    expect(config.findings).toEqual([]);
  });

  it.each([
    ['disabledTools: [a, b]', { deny: ['a', 'b'] }],
    ['disabledTools: [a], excludeTools: [c], tools: { deny: [b] }', { deny: ['b', 'a', 'c'] }],
    ['includeTools: [a]', { allow: ['a'], deny: [] }],
    ['tools: ["*"]', { allow: ['*'], deny: [] }],
    ['alwaysAllow: [a]', { deny: [] }],
  ])('switch tools off as the client did: %s', (text, tools) => {
    expect(upstream(entry(text), 'a').settings.tools).toEqual(tools);
  });

  it('report a key that has no effect, with the key that was most likely meant', () => {
    expect(
      entry('comand: y, maxConcurent: 1, timeout: 3, alwaysAllow: [], autoApprove: []').findings,
    ).toEqual([
      'mcpServers.a.comand: unknown key, which has no effect; did you mean "command"?',
      'mcpServers.a.maxConcurent: unknown key, which has no effect; did you mean "maxConcurrent"?',
      'mcpServers.a.timeout: unknown key, which has no effect',
    ]);
    expect(problems(() => yaml('mcpServers: { a: { comand: x } }'))).toContain(
      'mcpServers.a.comand: unknown key, which has no effect; did you mean "command"?',
    );
  });

  it.each(['disabledTools: 7', 'tools: { deny: [7] }', 'tools: { enabled: [a] }'])('refuse %s', (text) => {
    expect(problems(() => entry(text))).toHaveLength(1);
  });
});

describe('keys that refer to tools', () => {
  it.each(['a:b', 'a:b@1.0.0', 'a:b#12345678', 'a:*', '*:b', '*', '*delete*', 'a*:b'])('accept %s', (key) => {
    const config = yaml(`
tools: { ${JSON.stringify(key)}: { enabled: false } }
rateLimits: { ${JSON.stringify(key)}: { perMinute: 1 }, tool_view: { perMinute: 1 } }
cache: { allow: [${JSON.stringify(key)}] }`);
    expect(config.settings.tools).toHaveProperty([key]);
  });

  it.each(['b', '/a/b', 'A:b', 'a:', ''])('refuse %j', (key) => {
    const text = JSON.stringify(key);
    for (const section of [
      `tools: { ${text}: {} }`,
      `rateLimits: { ${text}: {} }`,
      `cache: { allow: [${text}] }`,
    ])
      expect(
        problems(() => yaml(section)),
        section,
      ).toHaveLength(1);
  });
});

describe('client file or Toolgate file', () => {
  const servers = '"mcpServers": { "a": { "command": "x" } }';

  it.each(['.mcp.json', 'mcp.json', 'settings.json', 'claude'])(
    'ignores the other keys of a client file: %s',
    (name) => {
      const config = loadConfig({ file: fileWith(name, `{ "theme": "dark", "profil": 1, ${servers} }`) });
      expect(config.upstreams).toHaveLength(1);
      expect(config.rawSettings).toEqual({ mcpServers: { a: { command: 'x' } } });
    },
  );

  it.each(['toolgate.json', 'toolgate.jsonc'])(
    'refuses unknown keys in a file with a Toolgate name: %s',
    (name) => {
      const file = fileWith(name, `{ "profil": "team", ${servers} }`);
      expect(problems(() => loadConfig({ file }))).toEqual(['profil: unknown key; did you mean "profile"?']);
    },
  );

  it('refuses unknown keys in YAML, which no client writes', () => {
    const file = fileWith('x.yaml', 'profil: team\nmcpServers: { a: { command: x } }');
    expect(problems(() => loadConfig({ file }))).toHaveLength(1);
  });

  it('refuses unknown keys in a file with a Toolgate key', () => {
    const file = fileWith('x.json', `{ "log": {}, "theme": "dark", ${servers} }`);
    expect(problems(() => loadConfig({ file }))).toEqual(['theme: unknown key']);
  });

  it('refuses unknown keys in a file without servers', () => {
    expect(problems(() => loadConfig({ file: fileWith('x.json', '{ "theme": "dark" }') }))).toHaveLength(1);
  });
});

describe('the environment', () => {
  it('is read by one module of src', () => {
    const root = new URL('../../', import.meta.url);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
    expect(files.length).toBeGreaterThan(50);
    const readers = files.filter((file) =>
      /process\s*\.\s*env|\benv\b.*from 'node:process'/.test(readFileSync(new URL(file, root), 'utf8')),
    );
    expect(readers).toEqual(['app/config/load.ts']);
  });
});

describe('the tool of a read-back or probe', () => {
  const tools = (used: string, more = ''): Config =>
    yaml(`tools:
  "files:write":
    verify: { readBack: { tool: "${used}", expect: [] }, probe: { tool: "${used}" } }
${more}`);

  it.each(['/files/write', 'files:write', 'files:write@1.2.0#0123abcd'])(
    'must not be the checked tool itself: %s',
    (used) => {
      expect(problems(() => tools(used))).toEqual([
        'tools.files:write.verify.readBack.tool: a tool cannot check itself',
        'tools.files:write.verify.probe.tool: a tool cannot check itself',
      ]);
    },
  );

  it('must not be a tool that the config declares as writing', () => {
    expect(problems(() => tools('/files/move', '  "files:move": { mutation: write_reversible }'))).toContain(
      'tools.files:write.verify.probe.tool: files:move has mutation write_reversible; a check must use a read_only tool',
    );
    tools('/files/read', '  "files:read": { mutation: read_only }');
    tools('/files/unknown');
  });
});
