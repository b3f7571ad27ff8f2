import { existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { isJsonObject } from '../../base/json/json.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfigFile } from '../config/file.ts';

/** A client's config on this machine, and the servers in it. */
export interface ClientFile {
  readonly client: string;
  readonly file: string;
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly problem: string | undefined;
}

/** The configs of known clients that exist here; or the one that was named. */
export function findClientFiles(named: string | undefined): ClientFile[] {
  const places = named === undefined ? knownPlaces() : [['named file', resolve(named)] as const];
  return places
    .filter(([, file]) => named !== undefined || existsSync(file))
    .map(([client, file]) => ({ client, file, ...readServers(file) }));
}

function knownPlaces(): readonly (readonly [client: string, file: string])[] {
  const home = homedir();
  const here = process.cwd();
  const settings = settingsFolder(home);
  return [
    ['Claude Desktop', join(settings, 'Claude', 'claude_desktop_config.json')],
    ['Claude Code', join(home, '.claude.json')],
    ['Claude Code (project)', join(here, '.mcp.json')],
    ['Cursor', join(home, '.cursor', 'mcp.json')],
    ['Cursor (project)', join(here, '.cursor', 'mcp.json')],
    ['VS Code', join(settings, 'Code', 'User', 'mcp.json')],
    ['VS Code (project)', join(here, '.vscode', 'mcp.json')],
    ['Windsurf', join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  ];
}

function settingsFolder(home: string): string {
  if (platform() === 'darwin') return join(home, 'Library', 'Application Support');
  return platform() === 'win32' ? join(home, 'AppData', 'Roaming') : join(home, '.config');
}

function readServers(file: string): Pick<ClientFile, 'servers' | 'problem'> {
  try {
    const { mcpServers, servers, projects } = readConfigFile(file);
    return {
      servers: { ...serversIn(mcpServers ?? servers), ...serversIn(ofThisProject(projects)) },
      problem: undefined,
    };
  } catch (thrown) {
    const problem = thrown instanceof ConfigError ? thrown.problems.join('; ') : 'cannot be read';
    return { servers: {}, problem };
  }
}

/** Claude Code keeps what was added in one project beside what is for all of them. */
function ofThisProject(projects: unknown): unknown {
  const project = isJsonObject(projects) ? projects[process.cwd()] : undefined;
  return isJsonObject(project) ? project.mcpServers : undefined;
}

function serversIn(map: unknown): ClientFile['servers'] {
  const entries = isJsonObject(map) ? Object.entries(map) : [];
  return Object.fromEntries(
    entries.flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry] as const] : [])),
  );
}
