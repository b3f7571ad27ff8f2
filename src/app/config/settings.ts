import type { ProfileName } from '../../catalog/profile.ts';
import type { ReceiptSettings } from './receipt-settings.ts';
import type { ServerSettings } from './server-settings.ts';
import type { ToolOverrides } from './tool-overrides.ts';
import type { UpstreamSettings } from './upstream-entry.ts';

/** The configuration after defaults: what `ConfigSchema` makes of a file. */
export interface Settings {
  $schema?: string | undefined;
  profile: ProfileName;
  surface: 'gateway';
  server: ServerSettings;
  store: { sqlite?: string | undefined; postgres?: string | undefined; syncIntents: boolean };
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
  receipts: ReceiptSettings;
  idempotency: { onInFlight: 'wait' | 'conflict'; leaseMs: number };
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
