import { describe, expect, it } from 'vitest';
import { fileWith, folderWith } from '../../../test/folder.ts';
import { ConfigError } from '../config/config-error.ts';
import type { ClientFile } from './client-files.ts';
import { planImport } from './plan.ts';

function file(client: string, servers: ClientFile['servers']): ClientFile {
  return { client, file: `/${client}`, servers, problem: undefined };
}

function planned(files: readonly ClientFile[], target = `${folderWith()}/toolgate.yaml`): string[] {
  return planImport(files, target).upstreams.map(({ action, name, from }) => `${action} ${name} (${from})`);
}

const X = { command: 'x' };
const Y = { command: 'y' };

describe('planImport', () => {
  it('adds the servers of every client', () => {
    expect(planned([file('A', { one: X }), file('B', { two: Y })])).toEqual(['add one (A)', 'add two (B)']);
  });

  it('adds equal servers once, and different servers with equal names under numbered names', () => {
    expect(
      planned([
        file('A', { github: X }),
        file('B', { github: X }),
        file('C', { github: Y }),
        file('D', { GitHub: { command: 'z' } }),
      ]),
    ).toEqual(['add github (A)', 'same github (B)', 'add github-2 (C)', 'add github-3 (D)']);
  });

  it('names an invalid entry and adds the others', () => {
    const bad = { comand: 'x' };
    const { upstreams } = planImport([file('A', { bad, one: X })], `${folderWith()}/toolgate.yaml`);
    expect(upstreams).toMatchObject([
      {
        name: 'bad',
        action: 'invalid',
        notes: [
          'entry: give either "command" or "url"',
          'comand: unknown key, which has no effect; did you mean "command"?',
        ],
      },
      { name: 'one', action: 'add', notes: [] },
    ]);
  });

  it('notes what stays off and what is not understood', () => {
    const entry = { ...X, disabled: true, disabledTools: ['a', 'b'], timeout: 7 };
    const { upstreams } = planImport([file('A', { one: entry })], `${folderWith()}/toolgate.yaml`);
    expect(upstreams[0]!.notes).toEqual([
      'disabled',
      'tools that stay off: a, b',
      'timeout: unknown key, which has no effect',
    ]);
  });

  it('recognizes servers that an earlier import renamed', () => {
    const target = fileWith(
      'toolgate.yaml',
      'mcpServers: { github: { command: x }, github-2: { command: y } }',
    );
    expect(planned([file('A', { github: X }), file('B', { github: Y })], target)).toEqual([
      'same github (A)',
      'same github-2 (B)',
    ]);
  });

  it.each(['upstreams', 'mcpServers', 'servers'])('does not reuse a name that exists under %s', (form) => {
    const target = fileWith('toolgate.yaml', `${form}: { GitHub: { command: mine } }`);
    expect(planned([file('A', { github: X })], target)).toEqual(['add github-2 (A)']);
  });

  it('shortens long names to fit the grammar', () => {
    const name = 'n'.repeat(80);
    const plan = planned([file('A', { [name]: X }), file('B', { [name]: Y })]);
    expect(plan).toEqual([`add ${'n'.repeat(64)} (A)`, `add ${'n'.repeat(60)}-2 (B)`]);
  });

  it.each([
    { command: 'toolgate', args: ['stdio'] },
    { command: '/usr/local/bin/toolgate', args: ['stdio'] },
    { command: 'C:\\npm\\toolgate.cmd', args: ['stdio'] },
    { command: 'npx', args: ['-y', 'toolgate', 'stdio'] },
    { command: 'npx', args: ['toolgate@latest', 'stdio'] },
    { command: 'npx', args: ['-p', 'node@24', '-p', 'toolgate', 'toolgate', 'stdio'] },
    { command: 'node', args: ['/src/toolgate/bin/toolgate.js', 'stdio'] },
    { command: '/opt/node/bin/node', args: ['bin/toolgate.js'] },
    { url: 'http://127.0.0.1:7332/mcp' },
    { type: 'http', url: 'http://localhost:7332/mcp/gateway' },
    { serverUrl: 'http://[::1]:7332/mcp' },
  ])('does not add Toolgate as its own upstream: %j', (entry) => {
    expect(planned([file('A', { gate: entry })])).toEqual(['self gate (A)']);
  });

  it.each([
    { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ada/toolgate'] },
    { command: 'filesystem', args: ['toolgate'] },
    { command: 'not-toolgate' },
    { url: 'https://toolgate.example/mcp' },
    { url: 'http://127.0.0.1:7333/mcp' },
  ])('adds a server that only mentions toolgate: %j', (entry) => {
    expect(planned([file('A', { gate: entry })])).toEqual(['add gate (A)']);
  });

  it.each([
    ['toolgate.yaml', 'mcpServers: [a]'],
    ['toolgate.yaml', 'a: [1'],
    ['toolgate.json', '{'],
  ])('refuses an invalid target: %s %s', (name, text) => {
    expect(() => planImport([file('A', { one: X })], fileWith(name, text))).toThrow(ConfigError);
  });

  it('accepts a target that is empty or has no servers', () => {
    for (const text of ['', 'mcpServers:\n', 'upstreams: {}\n'])
      expect(planned([file('A', { one: X })], fileWith('toolgate.yaml', text))).toEqual(['add one (A)']);
  });
});
