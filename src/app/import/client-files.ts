import { existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { isJsonObject } from '../../base/json/json.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfigFile } from '../config/file.ts';
import { projectSettings, readSwitchedOff, switchOff } from './switched-off.ts';

/** The config file of an MCP client on this machine, with its servers. */
export interface ClientFile {
  readonly client: string;
  readonly file: string;
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly problem: string | undefined;
}

/** Finds the config files of known MCP clients on this machine, or reads only the named file. */
export function findClientFiles(named: string | undefined): ClientFile[] {
  const candidates = named === undefined ? knownFiles() : [['named file', resolve(named)] as const];
  return candidates
    .filter(([, file]) => named !== undefined || existsSync(file))
    .map(([client, file]) => ({ client, file, ...readServers(file, client) }));
}

/** The settings of Claude Code, which are not in the files with its servers. */
function claudeCodeSettings(client: string): string[] {
  if (!client.startsWith('Claude Code')) return [];
  const folders = [homedir(), process.cwd()].map((folder) => join(folder, '.claude'));
  return folders.flatMap((folder) => [join(folder, 'settings.json'), join(folder, 'settings.local.json')]);
}

function knownFiles(): readonly (readonly [client: string, file: string])[] {
  const home = homedir();
  const project = process.cwd();
  const settings = settingsFolder(home);
  return [
    ['Claude Desktop', join(settings, 'Claude', 'claude_desktop_config.json')],
    ['Claude Code', join(home, '.claude.json')],
    ['Claude Code (project)', join(project, '.mcp.json')],
    ['Cursor', join(home, '.cursor', 'mcp.json')],
    ['Cursor (project)', join(project, '.cursor', 'mcp.json')],
    ['VS Code', join(settings, 'Code', 'User', 'mcp.json')],
    ['VS Code (project)', join(project, '.vscode', 'mcp.json')],
    ['Windsurf', join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  ];
}

function settingsFolder(home: string): string {
  if (platform() === 'darwin') return join(home, 'Library', 'Application Support');
  return platform() === 'win32' ? join(home, 'AppData', 'Roaming') : join(home, '.config');
}

function readServers(file: string, client: string): Pick<ClientFile, 'servers' | 'problem'> {
  try {
    const content = readConfigFile(file);
    const settings = claudeCodeSettings(client).filter(existsSync).map(readConfigFile);
    const off = readSwitchedOff([content, ...settings]);
    const servers = {
      ...parseServers(content.mcpServers ?? content.servers),
      ...parseServers(projectSettings(content).mcpServers),
    };
    return {
      servers: Object.fromEntries(
        Object.entries(servers).map(([name, entry]) => [name, switchOff(name, entry, off)]),
      ),
      problem: undefined,
    };
  } catch (thrown) {
    const problem = thrown instanceof ConfigError ? thrown.problems.join('; ') : 'the file cannot be read';
    return { servers: {}, problem };
  }
}

function parseServers(map: unknown): ClientFile['servers'] {
  const entries = isJsonObject(map) ? Object.entries(map) : [];
  return Object.fromEntries(
    entries.flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry] as const] : [])),
  );
}
