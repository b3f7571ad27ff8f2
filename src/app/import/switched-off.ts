import { isJsonObject } from '../../base/json/json.ts';

type Content = Readonly<Record<string, unknown>>;
type Entry = Readonly<Record<string, unknown>>;

/** What the settings of Claude Code switch off: whole servers, and tools by permission rules. */
export interface SwitchedOff {
  readonly servers: readonly string[];
  readonly rules: readonly string[];
}

const SERVER_LISTS = ['disabledMcpServers', 'disabledMcpjsonServers'] as const;

/** Reads the settings of every project, and those of this project. */
export function readSwitchedOff(contents: readonly Content[]): SwitchedOff {
  const all = contents.flatMap((content) => [content, projectSettings(content)]);
  return {
    servers: all.flatMap((content) => SERVER_LISTS.flatMap((list) => textsOf(content[list]))),
    rules: all.flatMap(({ permissions }) => (isJsonObject(permissions) ? textsOf(permissions.deny) : [])),
  };
}

/** Claude Code keeps the settings of a single project under `projects`. */
export function projectSettings({ projects }: Content): Content {
  const project = isJsonObject(projects) ? projects[process.cwd()] : undefined;
  return isJsonObject(project) ? project : {};
}

/** Writes into an entry what its client has switched off, so that it stays off. */
export function switchOff(name: string, entry: Entry, { servers, rules }: SwitchedOff): Entry {
  const prefix = `mcp__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`;
  const tools = rules
    .filter((rule) => rule.startsWith(`${prefix}__`))
    .map((rule) => rule.slice(prefix.length + 2));
  const isOff = servers.includes(name) || rules.includes(prefix);
  const named = textsOf(entry.disabledTools);
  return {
    ...entry,
    ...(isOff && { disabled: true }),
    ...(tools.length > 0 && { disabledTools: [...new Set([...named, ...tools])] }),
  };
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
}
