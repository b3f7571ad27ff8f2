import { UpstreamEntry, type UpstreamSettings } from './schema.ts';

const OURS = [
  'command',
  'args',
  'env',
  'cwd',
  'headers',
  'startTimeoutMs',
  'probeIntervalMs',
  'expose',
] as const;

/**
 * A server entry of Claude Desktop, Claude Code, Cursor, VS Code or Windsurf as an upstream of ours. They agree on
 * `command`, `args`, `env`; they differ in how they write an address and how they switch an entry off.
 */
export function fromClientEntry(entry: Readonly<Record<string, unknown>>): UpstreamSettings {
  const kept = Object.fromEntries(
    OURS.filter((key) => entry[key] !== undefined).map((key) => [key, entry[key]]),
  );
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl;
  const kind = entry.type ?? entry.transport;
  return UpstreamEntry.parse({
    ...kept,
    ...(entry.command === undefined && url !== undefined && { url }),
    ...(kind === 'sse' && { transport: 'sse' }),
    enabled: entry.disabled !== true && entry.enabled !== false,
  });
}
