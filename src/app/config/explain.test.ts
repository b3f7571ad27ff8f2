// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in config files look like template placeholders
import { describe, expect, it, vi } from 'vitest';
import { type ExplainedKey, explainConfig } from './explain.ts';
import { allConfigKeys } from './keys.ts';
import { loadConfig } from './load.ts';

function explained(settings: Record<string, unknown>): ExplainedKey[] {
  return explainConfig(loadConfig({ settings }));
}

function valueAt(rows: readonly ExplainedKey[], key: string): unknown {
  return rows.find((row) => row.key === key)?.value;
}

describe('explainConfig', () => {
  it('lists every key with its value and origin', () => {
    const rows = explained({ profile: 'team', server: { port: 1 }, upstreams: { a: { command: 'x' } } });
    const rowOf = (key: string): ExplainedKey | undefined => rows.find((row) => row.key === key);
    expect(rowOf('profile')).toEqual({ key: 'profile', value: 'team', origin: 'file' });
    expect(rowOf('server.port')).toEqual({ key: 'server.port', value: 1, origin: 'file' });
    expect(rowOf('server.host')).toEqual({ key: 'server.host', value: '127.0.0.1', origin: 'default' });
    expect(rowOf('upstreams.a.command')).toMatchObject({ value: 'x', origin: 'file' });
    expect(rowOf('upstreams.a.enabled')).toMatchObject({ value: true, origin: 'default' });
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it('omits no key that has a default', () => {
    const shown = explained({}).map(({ key }) => key);
    const withoutDefault = [
      '$schema',
      'store.sqlite',
      'store.postgres',
      'cache.allow',
      'telemetry.otlp',
      'telemetry.prometheus',
    ];
    const sections = [
      ...[
        'server',
        'store',
        'catalog',
        'discovery',
        'idempotency',
        'receipts',
        'retry',
        'cache',
        'results',
        'redaction',
        'identity',
        'log',
        'telemetry',
      ],
    ];
    const expected = allConfigKeys().filter(
      (key) => !key.includes('*') && !withoutDefault.includes(key) && !sections.includes(key),
    );
    expect(shown.toSorted()).toEqual(expected.toSorted());
  });

  it('shows references unresolved, so that no secret appears', () => {
    vi.stubEnv('EXPLAIN_SECRET', 's3cr3t');
    const rows = explained({
      store: { postgres: '${env:EXPLAIN_SECRET}' },
      telemetry: { otlp: 'https://x.example', otlpHeaders: { 'x-key': '${env:EXPLAIN_SECRET}' } },
      upstreams: {
        a: {
          command: '${EXPLAIN_SECRET}',
          env: { TOKEN: '${env:EXPLAIN_SECRET}' },
          args: ['--token', '${EXPLAIN_SECRET}', '--key=${env:EXPLAIN_SECRET}'],
        },
        b: { url: 'https://x.example/?key=${EXPLAIN_SECRET}', headers: { A: '${EXPLAIN_SECRET}' } },
      },
    });
    vi.unstubAllEnvs();
    expect(JSON.stringify(rows)).not.toContain('s3cr3t');
    expect(valueAt(rows, 'store.postgres')).toBe('${env:EXPLAIN_SECRET}');
    expect(valueAt(rows, 'telemetry.otlpHeaders.x-key')).toBe('${env:EXPLAIN_SECRET}');
    expect(valueAt(rows, 'upstreams.a.env.TOKEN')).toBe('${env:EXPLAIN_SECRET}');
    expect(valueAt(rows, 'upstreams.a.args')).toEqual([
      '--token',
      '${EXPLAIN_SECRET}',
      '--key=${env:EXPLAIN_SECRET}',
    ]);
    expect(valueAt(rows, 'upstreams.b.url')).toBe('https://x.example/?key=${EXPLAIN_SECRET}');
    expect(valueAt(rows, 'upstreams.b.headers.A')).toBe('${EXPLAIN_SECRET}');
  });

  it('hides secrets that are written into the file', () => {
    const entry = {
      command: 'npx',
      args: [
        '-y',
        'server',
        '--api-key',
        's3cr3t',
        '--token=s3cr3t',
        '-e',
        'GITHUB_TOKEN=s3cr3t',
        'Authorization: Bearer s3cr3t',
        'https://u:s3cr3t@x.example/p?access_token=s3cr3t&b=s3cr3t#top',
        'X-Api-Key: s3cr3t',
        '--password-hash=s3cr3t',
        `use ghp_${'a1B2c3D4e5F6'.repeat(3)}`,
        'plain',
      ],
      env: { TOKEN: 's3cr3t', 'a.b': 's3cr3t', REF: '${X:-s3cr3t}', PORT: 's3cr3t' },
    };
    const rows = explained({
      store: { postgres: 'postgres://u:s3cr3t@h/d' },
      telemetry: { otlp: 'https://u:s3cr3t@x.example/?k=s3cr3t', otlpHeaders: { 'x-other': 's3cr3t' } },
      upstreams: {
        'dotted.name': entry,
        remote: {
          url: 'https://x.example/mcp?api_key=s3cr3t',
          headers: { Authorization: 'Bearer s3cr3t', 'x.y': 's3cr3t', Mixed: 'Bearer ${X:-s3cr3t}' },
        },
      },
      mcpServers: { client: { ...entry, oauth: { clientSecret: 's3cr3t' }, authToken: 's3cr3t' } },
    });
    expect(JSON.stringify(rows)).not.toContain('s3cr3t');
    expect(valueAt(rows, 'upstreams.dotted.name.args')).toEqual([
      '-y',
      'server',
      '--api-key',
      '(hidden)',
      '--token=(hidden)',
      '-e',
      'GITHUB_TOKEN=(hidden)',
      'Authorization:(hidden)',
      'https://(hidden)@x.example/p?access_token=(hidden)&b=(hidden)#top',
      'X-Api-Key:(hidden)',
      '--password-hash=(hidden)',
      'use [redacted:github-token]',
      'plain',
    ]);
    expect(valueAt(rows, 'upstreams.remote.url')).toBe('https://x.example/mcp?api_key=(hidden)');
    expect(valueAt(rows, 'upstreams.dotted.name.command')).toBe('npx');
  });
});
