import { UpstreamEntry, type UpstreamSettings } from './upstream-entry.ts';

const SHARED_KEYS = [
  'command',
  'args',
  'env',
  'cwd',
  'headers',
  'era',
  'maxAnswerBytes',
  'startTimeoutMs',
  'probeIntervalMs',
  'expose',
] as const;

/**
 * Converts a server entry of Claude Desktop, Claude Code, Cursor, VS Code or Windsurf to an upstream. The clients agree
 * on `command`, `args` and `env`; they differ in the key of the address and in how an entry is disabled.
 */
export function parseClientEntry(entry: Readonly<Record<string, unknown>>): UpstreamSettings {
  const shared = Object.fromEntries(
    SHARED_KEYS.filter((key) => entry[key] !== undefined).map((key) => [key, entry[key]]),
  );
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl;
  const kind = entry.type ?? entry.transport;
  return UpstreamEntry.parse({
    ...shared,
    ...(entry.command === undefined && url !== undefined && { url }),
    ...(kind === 'sse' && { transport: 'sse' }),
    enabled: entry.disabled !== true && entry.enabled !== false,
  });
}
