import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fileWith, folderWith } from '../../../test/folder.ts';
import { findClientFiles } from './client-files.ts';

vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>();
  return { ...os, homedir: vi.fn(os.homedir), platform: vi.fn(() => 'linux') };
});

afterEach(() => {
  vi.restoreAllMocks();
});

const ONE = '{ "mcpServers": { "a": { "command": "x" } } }';

describe('findClientFiles', () => {
  it('finds the existing config files at the known locations', () => {
    const home = folderWith({
      '.config/Claude/claude_desktop_config.json': ONE,
      '.claude.json': ONE,
      '.cursor/mcp.json': ONE,
      '.config/Code/User/mcp.json': '{ "servers": { "v": { "type": "http", "url": "https://v.example" } } }',
      '.codeium/windsurf/mcp_config.json': ONE,
    });
    const here = folderWith({ '.mcp.json': ONE, '.cursor/mcp.json': ONE });
    vi.mocked(homedir).mockReturnValue(home);
    vi.spyOn(process, 'cwd').mockReturnValue(here);
    const found = findClientFiles(undefined);
    expect(found.map(({ client, file }) => [client, file])).toEqual([
      ['Claude Desktop', join(home, '.config/Claude/claude_desktop_config.json')],
      ['Claude Code', join(home, '.claude.json')],
      ['Claude Code (project)', join(here, '.mcp.json')],
      ['Cursor', join(home, '.cursor/mcp.json')],
      ['Cursor (project)', join(here, '.cursor/mcp.json')],
      ['VS Code', join(home, '.config/Code/User/mcp.json')],
      ['Windsurf', join(home, '.codeium/windsurf/mcp_config.json')],
    ]);
    expect(found.every(({ problem }) => problem === undefined)).toBe(true);
    expect(found[5]!.servers).toEqual({ v: { type: 'http', url: 'https://v.example' } });
  });

  it('finds nothing on a machine without clients', () => {
    vi.mocked(homedir).mockReturnValue(folderWith());
    vi.spyOn(process, 'cwd').mockReturnValue(folderWith());
    expect(findClientFiles(undefined)).toEqual([]);
  });

  it('reads the servers that Claude Code keeps for this project and for all projects', () => {
    const here = folderWith();
    const servers = (name: string): string => `{ "mcpServers": { "${name}": { "command": "${name}" } } }`;
    const text = `{ "mcpServers": { "all": { "command": "all" } }, "projects": { "${here}": ${servers('mine')}, "/other": ${servers('theirs')} } }`;
    vi.spyOn(process, 'cwd').mockReturnValue(here);
    const [found] = findClientFiles(fileWith('.claude.json', text));
    expect(found!.servers).toEqual({ all: { command: 'all' }, mine: { command: 'mine' } });
  });

  it('keeps off what Claude Code has switched off', () => {
    const entry = { command: 'x' };
    const servers = {
      files: entry,
      'my server': entry,
      off: entry,
      denied: { ...entry, disabledTools: ['a'] },
    };
    const deny = [
      'mcp__files__delete_file',
      'mcp__my_server__*',
      'mcp__denied',
      'mcp__denied__b',
      'Bash(rm:*)',
      7,
    ];
    const home = folderWith({
      '.claude.json': JSON.stringify({ mcpServers: servers, disabledMcpServers: ['off'] }),
      '.claude/settings.json': JSON.stringify({ permissions: { deny, allow: ['mcp__files__read'] } }),
    });
    const here = folderWith({
      '.mcp.json': JSON.stringify({ mcpServers: { project: entry, files: entry } }),
      '.claude/settings.local.json': JSON.stringify({ disabledMcpjsonServers: ['project'] }),
    });
    vi.mocked(homedir).mockReturnValue(home);
    vi.spyOn(process, 'cwd').mockReturnValue(here);
    const [user, project] = findClientFiles(undefined);
    expect(user!.servers).toEqual({
      files: { ...entry, disabledTools: ['delete_file'] },
      'my server': { ...entry, disabledTools: ['*'] },
      off: { ...entry, disabled: true },
      denied: { ...entry, disabled: true, disabledTools: ['a', 'b'] },
    });
    expect(project!.servers).toEqual({
      project: { ...entry, disabled: true },
      files: { ...entry, disabledTools: ['delete_file'] },
    });
  });

  it('leaves the servers of other clients as they are', () => {
    const home = folderWith({
      '.cursor/mcp.json': ONE,
      '.claude/settings.json': JSON.stringify({ permissions: { deny: ['mcp__a'] } }),
    });
    vi.mocked(homedir).mockReturnValue(home);
    vi.spyOn(process, 'cwd').mockReturnValue(folderWith());
    expect(findClientFiles(undefined)).toMatchObject([
      { client: 'Cursor', servers: { a: { command: 'x' } } },
    ]);
  });

  it('reports an unreadable file as a problem and does not throw', () => {
    const missing = join(folderWith(), 'none.json');
    expect(findClientFiles(missing)).toEqual([
      { client: 'named file', file: missing, servers: {}, problem: 'the file cannot be read (ENOENT)' },
    ]);
    expect(findClientFiles(fileWith('x.json', '{ "mcpServers": '))[0]!.problem).toMatch(/^invalid JSON: /);
  });

  it('skips entries that are not objects', () => {
    const text = '{ "mcpServers": { "a": { "command": "x" }, "b": "x", "c": null, "d": [] } }';
    expect(findClientFiles(fileWith('x.json', text))[0]!.servers).toEqual({ a: { command: 'x' } });
    expect(findClientFiles(fileWith('x.json', '{ "mcpServers": [] }'))[0]!.servers).toEqual({});
  });
});
