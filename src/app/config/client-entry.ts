import { closestMatch } from '../../base/text/closest-match.ts';
import { UPSTREAM_KEYS, UpstreamEntry, type UpstreamSettings } from './upstream-entry.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Lists of tools that are off or on, as the clients call them. */
const DENY_KEYS = ['disabledTools', 'disabled_tools', 'excludeTools'] as const;
const ALLOW_KEYS = ['enabledTools', 'enabled_tools', 'includeTools'] as const;
const ADDRESS_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;
/** Other keys of clients that are understood, or that only concern prompts and the user interface of the client. */
const OTHER_CLIENT_KEYS = [
  'type',
  'disabled',
  'alwaysAllow',
  'autoApprove',
  'trust',
  'name',
  'title',
  'description',
  'version',
  'icon',
  'gallery',
] as const;

const CLIENT_KEYS: readonly string[] = [...ADDRESS_KEYS, ...DENY_KEYS, ...ALLOW_KEYS, ...OTHER_CLIENT_KEYS];

/**
 * Converts a server entry of Claude Desktop, Claude Code, Cursor, VS Code or Windsurf to an upstream. It may have every key
 * of an upstream. The clients differ in the key of the address and in how an entry or a tool is switched off.
 */
export function parseClientEntry(entry: Entry): UpstreamSettings {
  const own = Object.fromEntries(
    UPSTREAM_KEYS.filter((key) => entry[key] !== undefined).map((key) => [key, entry[key]]),
  );
  const url = ADDRESS_KEYS.map((key) => entry[key]).find((address) => address !== undefined);
  const kind = entry.type ?? entry.transport;
  const { url: _url, transport: _transport, tools: _tools, ...shared } = own;
  return UpstreamEntry.parse({
    ...shared,
    ...(entry.command === undefined && url !== undefined && { url }),
    ...(kind === 'sse' && { transport: 'sse' }),
    ...toolSwitches(entry),
    enabled: entry.disabled !== true && entry.enabled !== false,
  });
}

/** Keys of an entry that nothing acts upon: a sentence each. */
export function findUnknownKeys(entry: Entry): string[] {
  const known = [...UPSTREAM_KEYS, ...CLIENT_KEYS];
  return Object.keys(entry)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = closestMatch(key, known);
      return `${key}: unknown key, which has no effect${meant ? `; did you mean "${meant}"?` : ''}`;
    });
}

/** Some clients list the tools that are on under `tools`. */
function toolSwitches(entry: Entry): object {
  const { tools } = entry;
  const own = Array.isArray(tools) ? { allow: tools } : tools;
  const deny = DENY_KEYS.flatMap((key) => entry[key] ?? []);
  const allow = ALLOW_KEYS.map((key) => entry[key]).find((names) => names !== undefined);
  if (own === undefined && deny.length === 0 && allow === undefined) return {};
  const switches = (typeof own === 'object' ? own : {}) as { readonly deny?: readonly unknown[] };
  return {
    tools: {
      ...(allow !== undefined && { allow }),
      ...switches,
      deny: [...(Array.isArray(switches.deny) ? switches.deny : []), ...deny],
    },
  };
}
