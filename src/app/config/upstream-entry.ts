import { z } from 'zod';
import { hasReference } from './interpolation.ts';
import { positiveInteger } from './positive-integer.ts';

const MEGABYTE = 1_048_576;

const Entry = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .optional()
      .describe('Program to start as an MCP server over stdio; give either command or url'),
    args: z.array(z.string()).default([]).describe('Arguments of the program'),
    env: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        'Environment variables of the program, added to those that it inherits: PATH, HOME and such, proxies and certificates',
      ),
    envFile: z
      .string()
      .min(1)
      .optional()
      .describe('File with further variables for the program, as NAME=value lines; env wins over it'),
    cwd: z
      .string()
      .optional()
      .describe('Working directory of the program; a relative path starts at the folder of this file'),
    url: z
      .string()
      .refine((url) => hasReference(url) || isHttpAddress(url), { error: 'not an http or https address' })
      .optional()
      .describe('http or https address of a remote MCP server; give either command or url'),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe('HTTP headers sent with every request to url'),
    transport: z
      .enum(['streamable', 'sse'])
      .default('streamable')
      .describe('MCP transport of url: "streamable" HTTP, or the older HTTP with server-sent events ("sse")'),
    era: z
      .literal(['auto', 2025, 2026])
      .default('auto')
      .describe(
        'MCP era of the connection: "auto" takes the newest that the server offers. 2025 and 2026 fix it, for a server that works in one era only',
      ),
    maxAnswerBytes: positiveInteger(32 * MEGABYTE).describe(
      'Maximum size of one answer or tool list, after decompression (bytes); the call of a larger one fails',
    ),
    enabled: z.boolean().default(true).describe('Start this upstream and offer its tools'),
    expose: z
      .enum(['external', 'internal'])
      .default('external')
      .describe('Visibility of the tools: "external" to callers, or "internal" and hidden from callers'),
    tools: z
      .strictObject({
        allow: z
          .array(z.string().min(1))
          .optional()
          .describe('Tools to offer, by name or pattern such as "get_*" (default: every tool)'),
        deny: z
          .array(z.string().min(1))
          .default([])
          .describe('Tools to switch off, by name or pattern such as "delete_*"; deny wins over allow'),
      })
      .prefault({})
      .describe('Which tools of the upstream are offered; the others are switched off'),
    startTimeoutMs: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Maximum time to connect, and to list the tools, before the upstream counts as unavailable (ms). Where it is not set: 20000, and 120000 for the first start of a package runner such as npx, uvx or docker run',
      ),
    probeIntervalMs: positiveInteger(30_000).describe('Time between health probes of the connection (ms)'),
    unknownArguments: z
      .enum(['refuse', 'pass'])
      .default('refuse')
      .describe(
        'Arguments that the input schema does not name: "refuse" the call, or "pass" them to the upstream',
      ),
    tolerantArguments: z
      .boolean()
      .default(false)
      .describe('Convert strings to the type that the schema requires, such as "7" to 7'),
    applyDefaults: z
      .boolean()
      .default(true)
      .describe('Fill missing arguments with the defaults of the input schema'),
    maxConcurrent: positiveInteger(64).describe(
      'Maximum calls in flight to this upstream; further calls are queued',
    ),
    maxQueued: positiveInteger(192).describe(
      'Maximum queued calls to this upstream; further calls fail with UPSTREAM_UNAVAILABLE. With maxConcurrent, keep it below server.maxInFlight',
    ),
    circuitBreaker: z
      .strictObject({
        failureThreshold: positiveInteger(10).describe('Consecutive failures that open the circuit'),
        resetTimeoutMs: positiveInteger(5_000).describe(
          'Time the circuit stays open before a trial call (ms)',
        ),
      })
      .prefault({})
      .describe('Circuit breaker: while it is open, calls to this upstream fail at once'),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'give either "command" or "url"',
  })
  .refine(({ transport, era }) => transport !== 'sse' || era !== 2026, {
    error: 'transport "sse" has no era 2026',
    path: ['era'],
  });

export const UpstreamEntry: z.ZodType<UpstreamSettings, unknown> = Entry;
export const UPSTREAM_KEYS: readonly string[] = Object.keys(Entry.shape);

export interface UpstreamSettings {
  command?: string | undefined;
  args: string[];
  env: Record<string, string>;
  envFile?: string | undefined;
  cwd?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string>;
  transport: 'streamable' | 'sse';
  era: 'auto' | 2025 | 2026;
  maxAnswerBytes: number;
  enabled: boolean;
  expose: 'external' | 'internal';
  tools: { allow?: string[] | undefined; deny: string[] };
  startTimeoutMs?: number | undefined;
  probeIntervalMs: number;
  unknownArguments: 'refuse' | 'pass';
  tolerantArguments: boolean;
  applyDefaults: boolean;
  maxConcurrent: number;
  maxQueued: number;
  circuitBreaker: { failureThreshold: number; resetTimeoutMs: number };
}

export function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
