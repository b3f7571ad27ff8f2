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
