import { z } from 'zod';
import { PROFILES } from '../../catalog/profile.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../../catalog/schema/budget.ts';
import { DEFAULT_MESSAGE_LIMITS } from '../../ingress/mcp/parse-message.ts';
import { RULE_NAMES } from '../../redaction/rule-set.ts';
import { hasReference } from './interpolation.ts';
import { ReceiptEntry, type ReceiptSettings } from './receipt-settings.ts';
import { type ToolOverrides, ToolOverridesEntry } from './tool-overrides.ts';

const whole = (fallback: number, least = 1): z.ZodDefault<z.ZodNumber> =>
  z.int().min(least).default(fallback);

export const UpstreamEntry: z.ZodType<UpstreamSettings, unknown> = z
  .strictObject({
    command: z.string().min(1).optional().describe('Program that speaks MCP on its standard streams'),
    args: z.array(z.string()).default([]).describe('Arguments of the program'),
    env: z.record(z.string(), z.string()).default({}).describe('Environment added to a small safe one'),
    cwd: z.string().optional().describe('Working folder of the program'),
    url: z
      .string()
      .refine((url) => hasReference(url) || isHttpAddress(url), { error: 'not an http or https address' })
      .optional()
      .describe('Address of a streamable HTTP server'),
    headers: z.record(z.string(), z.string()).default({}).describe('Headers sent with every request'),
    transport: z.enum(['streamable', 'sse']).default('streamable').describe('How the address is spoken to'),
    enabled: z.boolean().default(true).describe('Whether it is started'),
    expose: z.enum(['external', 'internal']).default('external').describe('Whether callers see its tools'),
    startTimeoutMs: whole(20_000).describe('How long the first answer may take'),
    probeIntervalMs: whole(30_000).describe('How often it is asked whether it is alive'),
    unknownArguments: z
      .enum(['refuse', 'pass'])
      .default('refuse')
      .describe('What becomes of arguments that a schema does not name'),
    tolerantArguments: z
      .boolean()
      .default(false)
      .describe('Whether "7" is read as 7 where a schema demands a number'),
    applyDefaults: z.boolean().default(true).describe('Whether defaults of a schema are sent along'),
    maxConcurrent: whole(64).describe('Calls in flight to this upstream; further calls are queued'),
    maxQueued: whole(1_024).describe('Calls that may be queued; further calls are refused as RATE_LIMITED'),
    circuitBreaker: z
      .strictObject({
        failureThreshold: whole(10).describe('Consecutive failures that open the circuit'),
        resetTimeoutMs: whole(5_000).describe('Time the circuit stays open before a trial call (ms)'),
      })
      .prefault({})
      .describe('Circuit breaker of this upstream'),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'give either "command" or "url"',
  });

export interface UpstreamSettings {
  command?: string | undefined;
  args: string[];
  env: Record<string, string>;
  cwd?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string>;
  transport: 'streamable' | 'sse';
  enabled: boolean;
  expose: 'external' | 'internal';
  startTimeoutMs: number;
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

/** A server as MCP clients write it; what they add for themselves is passed over. */
const ClientEntry = z.looseObject({ command: z.string().optional(), url: z.string().optional() });

export const ConfigSchema: z.ZodType<Settings, unknown> = z.strictObject({
  $schema: z.string().optional().describe('Where editors find the schema of this file'),
  profile: z.enum(PROFILES).default('personal').describe("What an upstream's silence means"),
  surface: z.enum(['gateway']).default('gateway').describe('The tools that /mcp and stdio show'),
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address to listen on; loopback unless you know better'),
      port: z.int().min(0).max(65_535).default(7332).describe('Port to listen on; 0 takes a free one'),
      allowedHosts: z.array(z.string()).default([]).describe('Further names under which it may be addressed'),
      allowedOrigins: z.array(z.string()).default([]).describe('Web origins that may call it'),
      maxBodyBytes: whole(DEFAULT_MESSAGE_LIMITS.maxBytes).describe('Largest message'),
      maxDepth: whole(DEFAULT_MESSAGE_LIMITS.maxDepth).describe('Deepest message'),
      maxInFlight: whole(512).describe('Calls at a time; more are asked to wait'),
    })
    .prefault({}),
  store: z
    .strictObject({
      sqlite: z
        .string()
        .optional()
        .describe('File of the embedded store, or :memory:; a default under the state folder'),
      postgres: z.string().optional().describe('Address of a PostgreSQL that several nodes share'),
    })
    .refine(({ sqlite, postgres }) => sqlite === undefined || postgres === undefined, {
      error: 'give "sqlite" or "postgres", not both',
    })
    .prefault({}),
  catalog: z
    .strictObject({
      onInvalid: z
        .enum(['report', 'fail'])
        .default('report')
        .describe('Refuse one tool, or the whole refresh'),
      onOversizedSchema: z
        .enum(['refuse', 'flag'])
        .default('refuse')
        .describe('What becomes of a schema beyond the limits'),
      maxSchemaBytes: whole(DEFAULT_SCHEMA_LIMITS.maxBytes).describe('Largest schema'),
      maxSchemaDepth: whole(DEFAULT_SCHEMA_LIMITS.maxDepth).describe('Deepest schema'),
      maxSchemaProperties: whole(DEFAULT_SCHEMA_LIMITS.maxProperties).describe(
        'Properties of a schema in all',
      ),
    })
    .prefault({}),
  discovery: z
    .strictObject({
      embeddings: z.enum(['on', 'off']).default('on').describe('Whether tools are also found by meaning'),
      learnFrom: z
        .enum(['off', 'principal', 'tenant'])
        .default('off')
        .describe('Whose requests that led to a call teach whose ranking'),
      learnEveryMinutes: whole(60).describe('How long a ranking stands still before it learns more'),
      cardOrder: z
        .enum(['best_first', 'cache_stable'])
        .default('best_first')
        .describe('Whether cards seen before keep their place, for prompt caches'),
    })
    .prefault({}),
  idempotency: z
    .strictObject({
      onInFlight: z
        .enum(['wait', 'conflict'])
        .default('wait')
        .describe('What a call gets whose key is in use: the same answer, or CONFLICT'),
      leaseMs: whole(10_000, 500).describe('After so much silence a process is taken for dead'),
    })
    .prefault({}),
  receipts: ReceiptEntry,
  retry: z
    .strictObject({
      attempts: whole(1).describe('How often a call is tried in all, where that is safe'),
      baseDelayMs: whole(200).describe('Longest wait before the second attempt; it doubles'),
      maxDelayMs: whole(5_000).describe('Longest wait before any'),
    })
    .prefault({}),
  cache: z
    .strictObject({
      readOnly: z.boolean().default(false).describe('Remember answers of tools that only read'),
      allow: z.array(z.string()).optional().describe('Only of these, by "namespace:tool" or id'),
      ttlSeconds: whole(60).describe('How long an answer is remembered'),
      maxEntries: whole(1_000).describe('How many are'),
    })
    .prefault({}),
  rateLimits: z
    .record(
      z.string().regex(/^(?:tool_(?:browse|execute|view)|[a-z][a-z0-9_-]{0,63}:.+)$/, {
        error: 'not tool_browse, tool_execute, tool_view or "namespace:tool"',
      }),
      z.strictObject({
        perMinute: z.int().min(1).optional().describe('Calls of a caller in any sixty seconds'),
        perSession: z.int().min(1).optional().describe('Calls of a session in all'),
      }),
    )
    .default({})
    .describe('How often a caller may do what, by meta-tool or "namespace:tool"'),
  results: z
    .strictObject({
      thresholdTokens: whole(2_000).describe('Up to here a result passes as it is'),
      artifactTtlMinutes: whole(24 * 60).describe('How long a kept result can be viewed'),
      artifactQuotaMegabytes: whole(256).describe('How much is kept for one caller'),
    })
    .prefault({}),
  redaction: z
    .strictObject({
      off: z.array(z.enum(RULE_NAMES)).default([]).describe('Rules that do not apply'),
      rules: z
        .array(z.strictObject({ name: z.string().min(1), pattern: z.string().min(1) }))
        .default([])
        .describe('Further patterns of secrets, in the syntax of RE2'),
      keys: z.array(z.string().min(1)).default([]).describe('Further names whose values are secret'),
    })
    .prefault({}),
  identity: z
    .strictObject({
      localScopes: z.array(z.string()).default([]).describe('Scopes of whoever is at this machine'),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn')
        .describe('What reaches the log'),
    })
    .prefault({}),
  telemetry: z
    .strictObject({
      otlp: z
        .string()
        .refine((url) => hasReference(url) || isHttpAddress(url), { error: 'not an http or https address' })
        .optional()
        .describe('Address of a collector that takes traces and metrics over OTLP/HTTP'),
      otlpHeaders: z.record(z.string(), z.string()).default({}).describe('Headers sent to the collector'),
      prometheus: z
        .union([z.int().min(0).max(65_535), z.string().min(1)])
        .optional()
        .describe('Where /metrics is served: a port of this machine, or "host:port"'),
      serviceName: z.string().min(1).default('toolgate').describe('The name under which both know it'),
    })
    .prefault({}),
  tools: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]{0,63}:./, { error: 'not "namespace:tool"' }),
      ToolOverridesEntry,
    )
    .default({})
    .describe('What you know better than an upstream, by "namespace:tool"'),
  upstreams: z
    .record(z.string(), UpstreamEntry)
    .default({})
    .describe('Where the tools come from, by namespace'),
  mcpServers: z
    .record(z.string(), ClientEntry)
    .default({})
    .describe('The same, as most MCP clients write it'),
  servers: z.record(z.string(), ClientEntry).default({}).describe('The same, as VS Code writes it'),
});

export interface Settings {
  $schema?: string | undefined;
  profile: (typeof PROFILES)[number];
  surface: 'gateway';
  server: {
    host: string;
    port: number;
    allowedHosts: string[];
    allowedOrigins: string[];
    maxBodyBytes: number;
    maxDepth: number;
    maxInFlight: number;
  };
  store: { sqlite?: string | undefined; postgres?: string | undefined };
  catalog: {
    onInvalid: 'report' | 'fail';
    onOversizedSchema: 'refuse' | 'flag';
    maxSchemaBytes: number;
    maxSchemaDepth: number;
    maxSchemaProperties: number;
  };
  discovery: {
    embeddings: 'on' | 'off';
    learnFrom: 'off' | 'principal' | 'tenant';
    learnEveryMinutes: number;
    cardOrder: 'best_first' | 'cache_stable';
  };
  tools: Record<string, ToolOverrides>;
  idempotency: { onInFlight: 'wait' | 'conflict'; leaseMs: number };
  receipts: ReceiptSettings;
  retry: { attempts: number; baseDelayMs: number; maxDelayMs: number };
  cache: { readOnly: boolean; allow?: string[] | undefined; ttlSeconds: number; maxEntries: number };
  rateLimits: Record<string, { perMinute?: number | undefined; perSession?: number | undefined }>;
  results: { thresholdTokens: number; artifactTtlMinutes: number; artifactQuotaMegabytes: number };
  redaction: { off: string[]; rules: { name: string; pattern: string }[]; keys: string[] };
  identity: { localScopes: string[] };
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent' };
  telemetry: {
    otlp?: string | undefined;
    otlpHeaders: Record<string, string>;
    prometheus?: string | number | undefined;
    serviceName: string;
  };
  upstreams: Record<string, UpstreamSettings>;
  mcpServers: Record<string, Record<string, unknown>>;
  servers: Record<string, Record<string, unknown>>;
}

/** For editors: completion and checking while one writes the file. */
export function configJsonSchema(): object {
  return z.toJSONSchema(ConfigSchema, { io: 'input', target: 'draft-2020-12' });
}
