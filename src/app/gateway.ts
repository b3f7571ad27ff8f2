/** The only file that names concrete engines: it puts the gateway together. */
import { join } from 'node:path';
import type { Json } from '../base/json/json.ts';
import { Catalog } from '../catalog/catalog.ts';
import { schemaPart } from '../catalog/schema-part.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Caller } from '../contract/call/caller.ts';
import { LOCAL_USER, type Principal } from '../contract/call/principal.ts';
import type { GatewayApi } from '../contract/gateway-api.ts';
import type { IdempotencyStore } from '../contract/ports/idempotency-store.ts';
import type { LogEntry, ReceiptLog } from '../contract/ports/receipt-log.ts';
import type { Stores } from '../contract/ports/stores.ts';
import type { Upstream } from '../contract/ports/upstream.ts';
import type { UsageStore } from '../contract/ports/usage-store.ts';
import { type ArgumentRules, STRICT_ARGUMENTS, type ToolContract } from '../contract/tool/tool.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { StableOrders } from '../discovery/cards/stable-order.ts';
import { Rankers } from '../discovery/ranking/rankers.ts';
import { UsageExamples } from '../discovery/usage-examples.ts';
import { Policy } from '../governance/policy.ts';
import type { Rule } from '../governance/rule.ts';
import { requiredScopes } from '../governance/rules/required-scopes.ts';
import type { CallDependencies } from '../lifecycle/dependencies.ts';
import { CallEvents } from '../lifecycle/events.ts';
import { internalCalls } from '../lifecycle/internal-calls.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import type { Firewall } from '../results/firewall.ts';
import { openPostgresStores } from '../stores/postgres/open.ts';
import { makePrivate } from '../stores/shared/private-files.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { logCalls } from '../telemetry/call-log.ts';
import { safeError } from '../telemetry/safe-error.ts';
import { StartQueue } from '../upstreams/mcp/connection/start-queue.ts';
import { isPackageRunner } from '../upstreams/mcp/connection/stdio/package-runner.ts';
import { McpUpstream, type McpUpstreamOptions } from '../upstreams/mcp/upstream.ts';
import { MisconfiguredUpstream } from '../upstreams/misconfigured.ts';
import { type NativeTool, NativeUpstream } from '../upstreams/native/upstream.ts';
import { type Config, redactionRulesOf } from './config/load.ts';
import type { Settings } from './config/settings.ts';
import type { ConfiguredUpstream } from './config/upstreams.ts';
import { createGatewayApi, type GatewayApiParts } from './gateway-api.ts';
import type { Logger } from './logger.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import { createCallControls } from './wiring/call-controls.ts';
import type { Source } from './wiring/catalog-sync.ts';
import { openEraCache } from './wiring/era-cache-file.ts';
import { findIneffectiveKeys } from './wiring/ineffective-keys.ts';
import { Startup } from './wiring/startup.ts';
import { StoreMaintenance } from './wiring/store-maintenance.ts';
import { countTokens } from './wiring/tokenizer.ts';
import { UpstreamStatuses } from './wiring/upstream-statuses.ts';
import { loadWordVectors } from './wiring/word-vectors.ts';

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Tools written in this process, by namespace. */
  readonly native?: Readonly<Record<string, readonly NativeTool[]>>;
  /** Start only these upstreams; all of them where absent. */
  readonly only?: readonly string[];
  readonly onUpstreamState?: (status: UpstreamStatus) => void;
  /** Rules of the policy besides the built-in ones. */
  readonly rules?: readonly Rule[];
}

export interface Gateway {
  readonly api: GatewayApi;
  /** The principal of the command line, of stdio and of the loopback port. */
  readonly localUser: Principal;
  /** Whether a caller may see a tool at all. */
  maySee(caller: Caller, contract: ToolContract): boolean;
  readonly events: CallEvents;
  /** The log of calls and of operator actions. */
  readonly receipts: ReceiptLog;
  /** Idempotency keys, and calls whose outcome is unknown. */
  readonly idempotency: IdempotencyStore;
  /** Why the stores must not be used any more. */
  storeProblem(): string | undefined;
  /** Writes a consistent copy of the stores to a new file. */
  backUp(file: string): Promise<void>;
  /** Requests that led to a call, learned for rankings. */
  readonly usage: UsageStore;
  readonly snapshot: () => CatalogSnapshot;
  /** A part of a tool's input schema, by the pointer of a reference to it. */
  schemaPart(contract: ToolContract, pointer: string): Json;
  readonly upstreams: () => readonly UpstreamStatus[];
  /** What in the config has no effect, for example a key that matches no tool: a sentence each. */
  readonly configFindings: () => readonly string[];
  /** Starts every upstream in parallel. Resolves when each is ready or has failed with a reason. */
  start(): Promise<void>;
  /** Waits while upstreams become ready in quick succession, and not for those that are slow. */
  waitWhileStarting(): Promise<void>;
  /** Serves metrics where the config enables it, and resolves with their URL. */
  serveMetrics(): Promise<string | undefined>;
  close(): Promise<void>;
}

const MEGABYTE = 1_048_576;
const MINUTE_MS = 60_000;

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log, onUpstreamState } = options;
  const { settings } = config;
  const secrets = redactionRulesOf(config);
  const events = new CallEvents();
  events.subscribe(logCalls(log), { readsPhases: false });
  const telemetry = await openTelemetry({ config, events, log });
  const stores = await openStores(config, log);
  const catalog = new Catalog({ onInvalid: settings.catalog.onInvalid });
  const policy = new Policy([requiredScopes, ...(options.rules ?? [])]);
  const controls = createCallControls(config);
  const sources = new Map(configuredSources(options).map((source) => [source.upstream.namespace, source]));
  const statuses = new UpstreamStatuses({ sources, catalog, policy, guard: controls.guard, secrets });
  const startup = new Startup([...sources.values()], {
    catalog,
    settings,
    log,
    secrets,
    stateChanged: (upstream) => onUpstreamState?.(statuses.of(upstream)),
  });
  const maintenance = new StoreMaintenance(stores, settings, log);
  const deps: CallDependencies = {
    catalog,
    policy,
    upstream: (namespace) => sources.get(namespace)?.upstream,
    internalCalls,
    firewall: createFirewall(settings, stores, secrets),
    receipts: stores.receipts,
    failClosed: settings.receipts.failClosed,
    idempotency: stores.idempotency,
    ...controls,
    events,
  };
  const configFindings = () => findIneffectiveKeys(config, catalog.snapshot, statuses.all());
  return {
    api: createGatewayApi({
      deps,
      ...createDiscovery(settings, stores),
      onTrouble: (what, cause) => log.warn({ err: cause }, what),
      upstreams: (caller) => statuses.visibleTo(caller),
      startup,
    }),
    localUser: { ...LOCAL_USER, scopes: settings.identity.localScopes },
    maySee: (caller, contract) => policy.maySee(caller, contract),
    events,
    receipts: stores.receipts,
    idempotency: stores.idempotency,
    storeProblem: () => stores.problem,
    backUp: (file) => stores.backUp(file),
    usage: stores.usage,
    snapshot: () => catalog.snapshot,
    schemaPart,
    upstreams: () => statuses.all(),
    configFindings,
    async start() {
      maintenance.start();
      await startup.start();
      for (const finding of configFindings()) log.warn({ finding }, 'a key of the config has no effect');
    },
    waitWhileStarting: () => startup.waitWhileStarting(),
    serveMetrics: () => telemetry.serveMetrics(),
    async close() {
      await maintenance.stop();
      await startup.stop();
      await Promise.all([stores.close(), telemetry.close()]);
    },
  };
}

function createDiscovery(
  { discovery }: Settings,
  { usage }: Stores,
): Pick<GatewayApiParts, 'rankers' | 'usage' | 'stableOrders'> {
  return {
    rankers: new Rankers(() => (discovery.embeddings === 'on' ? loadWordVectors() : undefined)),
    usage: new UsageExamples({
      store: usage,
      learning: discovery.learnFrom,
      refreshMs: discovery.learnEveryMinutes * MINUTE_MS,
    }),
    stableOrders: discovery.cardOrder === 'cache_stable' ? new StableOrders() : undefined,
  };
}

function createFirewall({ results }: Settings, { artifacts }: Stores, secrets: RuleSet): Firewall {
  return {
    secrets,
    artifacts,
    countTokens,
    thresholdTokens: results.thresholdTokens,
    artifactTtlMs: results.artifactTtlMinutes * MINUTE_MS,
    artifactQuotaBytes: results.artifactQuotaMegabytes * MEGABYTE,
  };
}

async function openStores({ settings, sqliteFile, stateFolder }: Config, log: Logger): Promise<Stores> {
  const { postgres, syncIntents } = settings.store;
  const { leaseMs } = settings.idempotency;
  const onLostEntries = (entries: readonly LogEntry[], cause: unknown): void => {
    for (const entry of entries) log.error({ entry, err: safeError(cause) }, 'log entry lost');
  };
  const onWarning = (message: string): void => log.warn(message);
  makePrivate([stateFolder], onWarning);
  return postgres === undefined
    ? openSqliteStores({ file: sqliteFile, leaseMs, syncIntents, onLostEntries, onWarning })
    : openPostgresStores({ url: postgres, leaseMs, onLostEntries });
}

function configuredSources({ config, native = {}, only }: GatewayOptions): Source[] {
  const wanted = (namespace: string): boolean => only?.includes(namespace) ?? true;
  const shared = { eras: openEraCache(join(config.stateFolder, 'eras.json')), starts: new StartQueue() };
  const configured = config.upstreams
    .filter(({ namespace, settings }) => settings.enabled && wanted(namespace))
    .map((entry) => ({
      upstream: upstreamFor(entry, config, shared),
      expose: entry.settings.expose,
      argumentRules: argumentRulesOf(entry),
      tools: entry.settings.tools,
      credential: credentialOf(entry),
    }));
  const inProcess = Object.entries(native)
    .filter(([namespace]) => wanted(namespace))
    .map(([namespace, tools]) => ({
      upstream: new NativeUpstream(namespace, tools),
      expose: 'external' as const,
      argumentRules: STRICT_ARGUMENTS,
    }));
  return [...configured, ...inProcess];
}

function argumentRulesOf({ settings }: ConfiguredUpstream): ArgumentRules {
  const { unknownArguments, tolerantArguments, applyDefaults } = settings;
  return { unknown: unknownArguments, tolerant: tolerantArguments, defaults: applyDefaults };
}

/** Headers and variables hold the gateway's credentials for an upstream. */
function credentialOf({ settings: { env, headers } }: ConfiguredUpstream): 'none' | 'gateway' {
  return Object.keys({ ...env, ...headers }).length > 0 ? 'gateway' : 'none';
}

function upstreamFor(
  { namespace, settings, unusable, needsCredentials }: ConfiguredUpstream,
  { childEnvironment, registryEnvironment }: Config,
  shared: Pick<McpUpstreamOptions, 'eras' | 'starts'>,
): Upstream {
  if (unusable !== undefined) {
    const kind = needsCredentials ? 'needs_credentials' : 'misconfigured';
    return new MisconfiguredUpstream(namespace, kind, unusable);
  }
  const { command, args, env, cwd, url, headers, transport } = settings;
  const { era, maxAnswerBytes, startTimeoutMs, probeIntervalMs } = settings;
  const isRunner = command !== undefined && isPackageRunner({ command, args });
  const inherited = { ...childEnvironment, ...(isRunner && registryEnvironment) };
  const target =
    command !== undefined
      ? ({ kind: 'stdio', command, args, env: { ...inherited, ...env }, cwd } as const)
      : ({ kind: 'http', url: url!, headers, transport } as const);
  return new McpUpstream({
    namespace,
    target,
    ...shared,
    era,
    maxAnswerBytes,
    startTimeoutMs,
    probeIntervalMs,
  });
}
