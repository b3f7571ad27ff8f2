import { z } from 'zod';
import { PROFILES } from '../../catalog/profile.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../../catalog/schema/budget.ts';
import { RULE_NAMES } from '../../redaction/rule-set.ts';
import { hasReference } from './interpolation.ts';
import { positiveInteger } from './positive-integer.ts';
import { ReceiptEntry } from './receipt-settings.ts';
import { ServerEntry } from './server-settings.ts';
import type { Settings } from './settings.ts';
import { RateLimitKey, ToolKey } from './tool-key.ts';
import { ToolOverridesEntry } from './tool-overrides.ts';
import { isHttpAddress, UpstreamEntry } from './upstream-entry.ts';

/** A server as MCP clients write it. Clients add keys of their own, which are ignored. */
const ClientEntry = z.looseObject({
  command: z.string().optional().describe('Program to start as an MCP server over stdio'),
  url: z.string().optional().describe('http or https address of a remote MCP server'),
});

export const ConfigSchema: z.ZodType<Settings, unknown> = z.strictObject({
  $schema: z
    .string()
    .optional()
    .describe('Address of the JSON Schema of this file, for completion and checks in editors'),
  profile: z
    .enum(PROFILES)
    .default('personal')
    .describe(
      'Defaults for terms that an upstream does not declare (timeout, scopes, idempotency); production refuses tools without timeout and scopes',
    ),
  surface: z
    .enum(['gateway'])
    .default('gateway')
    .describe('What MCP clients see; gateway: three meta-tools that reach every tool'),
  server: ServerEntry,
  store: z
    .strictObject({
      sqlite: z
        .string()
        .optional()
        .describe('SQLite file, or :memory: (default: toolgate.sqlite in the state folder)'),
      postgres: z
        .string()
        .optional()
        .describe('PostgreSQL connection URL, instead of SQLite: several gateways can share the database'),
      syncIntents: z
        .boolean()
        .default(true)
        .describe(
          'SQLite: wait until the intent of a write with an idempotency key is on disk before the write is sent, so that it survives a loss of power',
        ),
    })
    .refine(({ sqlite, postgres }) => sqlite === undefined || postgres === undefined, {
      error: 'give "sqlite" or "postgres", not both',
    })
    .prefault({})
    .describe('Where receipts, idempotency keys, artifacts and usage examples are stored'),
  catalog: z
    .strictObject({
      onInvalid: z
        .enum(['report', 'fail'])
        .default('report')
        .describe(
          'When a tool is refused: "report" it and load the others, or "fail" the whole refresh of its upstream',
        ),
      onOversizedSchema: z
        .enum(['refuse', 'flag'])
        .default('refuse')
        .describe(
          'When a tool schema exceeds one of the maxSchema limits: "refuse" the tool, or load it and "flag" it',
        ),
      maxSchemaBytes: positiveInteger(DEFAULT_SCHEMA_LIMITS.maxBytes).describe(
        'Maximum size of a tool schema (bytes)',
      ),
      maxSchemaDepth: positiveInteger(DEFAULT_SCHEMA_LIMITS.maxDepth).describe(
        'Maximum nesting of a tool schema (levels)',
      ),
      maxSchemaProperties: positiveInteger(DEFAULT_SCHEMA_LIMITS.maxProperties).describe(
        'Maximum number of properties in a tool schema, nested ones included',
      ),
    })
    .prefault({})
    .describe('Which tools of the upstreams are accepted into the catalog'),
  discovery: z
    .strictObject({
      embeddings: z
        .enum(['on', 'off'])
        .default('on')
        .describe('Rank tools also by meaning, with offline word vectors ("on"), or by words only ("off")'),
      learnFrom: z
        .enum(['off', 'principal', 'tenant'])
        .default('off')
        .describe(
          'Learn from queries that led to a successful call: for each caller ("principal"), for each "tenant", or "off"',
        ),
      learnEveryMinutes: positiveInteger(60).describe(
        'Time until new usage examples change the ranking (minutes)',
      ),
      cardOrder: z
        .enum(['best_first', 'cache_stable'])
        .default('best_first')
        .describe(
          'Order of cards: by score ("best_first"), or cards already shown in the session first, for prompt caches ("cache_stable")',
        ),
    })
    .prefault({})
    .describe('How tools are found and ranked'),
  idempotency: z
    .strictObject({
      onInFlight: z
        .enum(['wait', 'conflict'])
        .default('wait')
        .describe(
          'When a call with the same idempotency key is in flight: "wait" for its result, or fail with CONFLICT ("conflict")',
        ),
      leaseMs: positiveInteger(10_000, 500).describe(
        'Time without a heartbeat after which a gateway process counts as dead (ms)',
      ),
    })
    .prefault({})
    .describe('Idempotent writes: calls with the same idempotency key are executed once'),
  receipts: ReceiptEntry,
  retry: z
    .strictObject({
      attempts: positiveInteger(1).describe(
        'Maximum attempts of a call; 1 means no retries. Only calls that are safe to repeat are retried',
      ),
      baseDelayMs: positiveInteger(200).describe(
        'Maximum delay before the second attempt (ms); it doubles with every attempt',
      ),
      maxDelayMs: positiveInteger(5_000).describe(
        'Maximum delay before any attempt (ms); a call that would have to wait longer is not retried',
      ),
    })
    .prefault({})
    .describe('Retries of failed calls, with exponential backoff and full jitter'),
  cache: z
    .strictObject({
      readOnly: z
        .boolean()
        .default(false)
        .describe('Cache the results of read-only tools, for each caller separately'),
      allow: z
        .array(ToolKey)
        .optional()
        .describe('Tools to cache, by id, "namespace:tool" or pattern (default: every read-only tool)'),
      ttlSeconds: positiveInteger(60).describe('Time a cached result is used (seconds)'),
      maxEntries: positiveInteger(1_000).describe(
        'Maximum cached results; the least recently used is dropped',
      ),
    })
    .prefault({})
    .describe('Result cache of read-only tools, in memory'),
  rateLimits: z
    .record(
      RateLimitKey,
      z.strictObject({
        perMinute: z
          .int()
          .min(1)
          .optional()
          .describe('Maximum calls of one caller in any 60 seconds, counted per process'),
        perSession: z.int().min(1).optional().describe('Maximum calls in one session, counted per process'),
      }),
    )
    .default({})
    .describe(
      'Rate limits per process, by meta-tool ("tool_execute"), tool id, "namespace:tool" or pattern such as "files:*", whose tools share one count',
    ),
  results: z
    .strictObject({
      thresholdTokens: positiveInteger(2_000).describe(
        'Longest result that is returned whole (cl100k tokens); a longer one becomes a summary and artifacts',
      ),
      artifactTtlMinutes: positiveInteger(24 * 60).describe(
        'Time an artifact can be viewed before it expires (minutes)',
      ),
      artifactQuotaMegabytes: positiveInteger(256).describe('Maximum stored artifacts of one caller (MB)'),
    })
    .prefault({})
    .describe('Shortening and storage of long results'),
  redaction: z
    .strictObject({
      off: z
        .array(z.enum(RULE_NAMES))
        .default([])
        .describe('Built-in redaction rules to switch off, by name'),
      rules: z
        .array(
          z.strictObject({
            name: z.string().min(1).describe('Name of the rule, shown in "[redacted:name]"'),
            pattern: z.string().min(1).describe('Regular expression in RE2 syntax'),
          }),
        )
        .default([])
        .describe('Additional patterns of secrets, as regular expressions in RE2 syntax'),
      keys: z
        .array(z.string().min(1))
        .default([])
        .describe('Additional names of members, headers and variables whose values are secret'),
    })
    .prefault({})
    .describe('Which values are secrets and are replaced in results, logs and receipts'),
  identity: z
    .strictObject({
      localScopes: z
        .array(z.string())
        .default([])
        .describe('Scopes of the local user, who makes every call over stdio, HTTP and the command line'),
    })
    .prefault({})
    .describe('Identity of the callers'),
  log: z
    .strictObject({
      level: z
        .enum(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn')
        .describe('Lowest level that is logged to standard error'),
    })
    .prefault({})
    .describe('Log of the gateway: JSON lines on standard error'),
  telemetry: z
    .strictObject({
      otlp: z
        .string()
        .refine((url) => hasReference(url) || isHttpAddress(url), { error: 'not an http or https address' })
        .optional()
        .describe('Base URL of an OpenTelemetry collector for traces and metrics (OTLP/HTTP)'),
      otlpHeaders: z
        .record(z.string(), z.string())
        .default({})
        .describe('HTTP headers sent to the OpenTelemetry collector'),
      prometheus: z
        .union([z.int().min(0).max(65_535), z.string().min(1)])
        .optional()
        .describe('Where to serve /metrics for Prometheus: a loopback port, or "host:port"'),
      serviceName: z.string().min(1).default('toolgate').describe('OpenTelemetry service.name'),
    })
    .prefault({})
    .describe('Traces and metrics; off unless otlp or prometheus is set'),
  tools: z
    .record(ToolKey, ToolOverridesEntry)
    .default({})
    .describe(
      'Overrides of tool contracts, by id, "namespace:tool" or pattern such as "files:*"; they win over what the upstream declares',
    ),
  upstreams: z
    .record(z.string(), UpstreamEntry)
    .default({})
    .describe('MCP servers whose tools the gateway offers, by namespace'),
  mcpServers: z
    .record(z.string(), ClientEntry)
    .default({})
    .describe('Upstreams in the format of most MCP clients (Claude, Cursor, Windsurf), by namespace'),
  servers: z
    .record(z.string(), ClientEntry)
    .default({})
    .describe('Upstreams in the format of VS Code, by namespace'),
});

/** For editors: completion and checks while the file is edited. */
export function configJsonSchema(): object {
  return z.toJSONSchema(ConfigSchema, { io: 'input', target: 'draft-2020-12' });
}
