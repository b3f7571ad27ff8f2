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
import type { Upstream, UpstreamListener } from '../contract/ports/upstream.ts';
import type { UsageStore } from '../contract/ports/usage-store.ts';
import { type ArgumentRules, STRICT_ARGUMENTS, type ToolContract } from '../contract/tool/tool.ts';
import type { UpstreamState, UpstreamStatus } from '../contract/upstream-state.ts';
import { StableOrders } from '../discovery/cards/stable-order.ts';
import { Rankers } from '../discovery/ranking/rankers.ts';
import { UsageExamples } from '../discovery/usage-examples.ts';
import { Policy } from '../governance/policy.ts';
import type { Rule } from '../governance/rule.ts';
import { requiredScopes } from '../governance/rules/required-scopes.ts';
import type { CallDependencies } from '../lifecycle/dependencies.ts';
import { CallEvents } from '../lifecycle/events.ts';
import { internalCalls } from '../lifecycle/internal-calls.ts';
import { redactJson } from '../redaction/redact-json.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import type { Firewall } from '../results/firewall.ts';
import { openPostgresStores } from '../stores/postgres/open.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { logCalls } from '../telemetry/call-log.ts';
import { safeError } from '../telemetry/safe-error.ts';
import { McpUpstream } from '../upstreams/mcp/upstream.ts';
import { MisconfiguredUpstream } from '../upstreams/misconfigured.ts';
import { type NativeTool, NativeUpstream } from '../upstreams/native/upstream.ts';
import { type Config, collectSecrets } from './config/load.ts';
import type { Settings } from './config/schema.ts';
import type { ConfiguredUpstream } from './config/upstreams.ts';
import { createGatewayApi } from './gateway-api.ts';
import type { Logger } from './logger.ts';
import { recordLostCalls } from './operations/lost-calls.ts';
import { startRetention } from './operations/retention.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import { createCallControls } from './wiring/call-controls.ts';
import { type Source, syncCatalog } from './wiring/catalog-sync.ts';
import { eraFile } from './wiring/era-cache-file.ts';
import { waitForStartup } from './wiring/startup-wait.ts';
import { countTokens } from './wiring/tokenizer.ts';
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
  /** Requests that led to a call, learned for rankings. */
  readonly usage: UsageStore;
  readonly snapshot: () => CatalogSnapshot;
  /** A part of a tool's input schema, by the pointer of a reference to it. */
  schemaPart(contract: ToolContract, pointer: string): Json;
  readonly upstreams: () => readonly UpstreamStatus[];
  /** Starts every upstream in parallel. Resolves when each is ready or has failed with a reason. */
  start(): Promise<void>;
  /** Serves metrics where the config enables it, and resolves with their URL. */
  serveMetrics(): Promise<string | undefined>;
  close(): Promise<void>;
}

const MEGABYTE = 1_048_576;
const MINUTE_MS = 60_000;

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log, onUpstreamState } = options;
  const { settings } = config;
  const { discovery } = settings;
  const secrets = collectSecrets(config);
  const controls = createCallControls(config);
  const events = new CallEvents();
  events.subscribe(logCalls(log));
  const telemetry = await openTelemetry({ config, events, log });
  const stores = await openStores(config, log);
  const catalog = new Catalog({ onInvalid: settings.catalog.onInvalid });
  const policy = new Policy([requiredScopes, ...(options.rules ?? [])]);
  const sources = new Map(configuredSources(options).map((source) => [source.upstream.namespace, source]));

  const statusOf = ({ namespace, state }: Upstream): UpstreamStatus => ({
    namespace,
    // The reason may quote what a program printed before it exited.
    state: redactJson(state, secrets).value as UpstreamState,
    tools: catalog.snapshot.contracts.filter((contract) => contract.namespace === namespace).length,
    load: controls.guard(namespace).state,
  });
  const statuses = (): UpstreamStatus[] => [...sources.values()].map(({ upstream }) => statusOf(upstream));
  /** An upstream all of whose tools are denied does not exist for the caller; one without tools may be starting. */
  const statusesFor = (caller: Caller): UpstreamStatus[] => {
    const visible = Map.groupBy(
      catalog.snapshot.contracts.filter((contract) => policy.maySee(caller, contract)),
      ({ namespace }) => namespace,
    );
    return [...sources.values()]
      .filter(({ expose }) => expose === 'external')
      .map(({ upstream }) => statusOf(upstream))
      .filter(({ namespace, tools }) => tools === 0 || visible.has(namespace))
      .map((status) => ({ ...status, tools: visible.get(status.namespace)?.length ?? 0 }));
  };
  const listenTo = (source: Source): UpstreamListener =>
    syncCatalog(source, {
      catalog,
      settings,
      log,
      secrets,
      stateChanged: (upstream) => onUpstreamState?.(statusOf(upstream)),
    });

  const deps: CallDependencies = {
    catalog,
    policy,
    upstream: (namespace) => sources.get(namespace)?.upstream,
    internalCalls,
    firewall: firewallOf(settings, stores, secrets),
    receipts: stores.receipts,
    idempotency: stores.idempotency,
    ...controls,
    events,
  };
  let started: Promise<unknown> = Promise.resolve();
  // Repeated, because a process is known to have died only when its lease has expired.
  let lostCallsTimer: NodeJS.Timeout | undefined;
  let stopRetention = (): void => {};
  const findLostCalls = (): void => {
    recordLostCalls(stores).catch((cause) => log.error({ err: cause }, 'failed to record lost calls'));
  };
  return {
    api: createGatewayApi({
      deps,
      rankers: new Rankers(() => (discovery.embeddings === 'on' ? loadWordVectors() : undefined)),
      usage: new UsageExamples({
        store: stores.usage,
        learning: discovery.learnFrom,
        refreshMs: discovery.learnEveryMinutes * MINUTE_MS,
      }),
      stableOrders: discovery.cardOrder === 'cache_stable' ? new StableOrders() : undefined,
      onTrouble: (what, cause) => log.warn({ err: cause }, what),
      upstreams: statusesFor,
      waitForStartup: (limits) => waitForStartup(started, limits),
    }),
    localUser: { ...LOCAL_USER, scopes: settings.identity.localScopes },
    maySee: (caller, contract) => policy.maySee(caller, contract),
    events,
    receipts: stores.receipts,
    idempotency: stores.idempotency,
    usage: stores.usage,
    snapshot: () => catalog.snapshot,
    schemaPart,
    upstreams: statuses,
    async start() {
      findLostCalls();
      lostCallsTimer = setInterval(findLostCalls, settings.idempotency.leaseMs);
      lostCallsTimer.unref();
      stopRetention = startRetention(stores.receipts, {
        keepDays: settings.receipts.keepDays,
        onError: (cause) => log.error({ err: safeError(cause) }, 'failed to prune the log'),
      });
      started = Promise.all([...sources.values()].map((source) => source.upstream.start(listenTo(source))));
      await started;
    },
    serveMetrics: () => telemetry.serveMetrics(),
    async close() {
      clearInterval(lostCallsTimer);
      stopRetention();
      await Promise.all([...sources.values()].map(({ upstream }) => upstream.stop()));
      await Promise.all([stores.close(), telemetry.close()]);
    },
  };
}

function firewallOf({ results }: Settings, { artifacts }: Stores, secrets: RuleSet): Firewall {
  return {
    secrets,
    artifacts,
    countTokens,
    thresholdTokens: results.thresholdTokens,
    artifactTtlMs: results.artifactTtlMinutes * MINUTE_MS,
    artifactQuotaBytes: results.artifactQuotaMegabytes * MEGABYTE,
  };
}

async function openStores({ settings, sqliteFile }: Config, log: Logger): Promise<Stores> {
  const { postgres } = settings.store;
  const { leaseMs } = settings.idempotency;
  const onLostEntries = (entries: readonly LogEntry[], cause: unknown): void => {
    for (const entry of entries) log.error({ entry, err: safeError(cause) }, 'log entry lost');
  };
  return postgres === undefined
    ? openSqliteStores({ file: sqliteFile, leaseMs, onLostEntries })
    : openPostgresStores({ url: postgres, leaseMs, onLostEntries });
}

function configuredSources({ config, native = {}, only }: GatewayOptions): Source[] {
  const wanted = (namespace: string): boolean => only?.includes(namespace) ?? true;
  const eras = eraFile(join(config.stateFolder, 'eras.json'));
  const configured = config.upstreams
    .filter(({ namespace, settings }) => settings.enabled && wanted(namespace))
    .map((entry) => ({
      upstream: upstreamFor(entry, config, eras),
      expose: entry.settings.expose,
      argumentRules: argumentRulesOf(entry),
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

function upstreamFor(
  { namespace, settings, unusable }: ConfiguredUpstream,
  { childEnvironment }: Config,
  eras: ReturnType<typeof eraFile>,
): Upstream {
  if (unusable !== undefined) return new MisconfiguredUpstream(namespace, unusable);
  const { command, args, env, cwd, url, headers, transport, startTimeoutMs, probeIntervalMs } = settings;
  const target =
    command !== undefined
      ? ({ kind: 'stdio', command, args, env: { ...childEnvironment, ...env }, cwd } as const)
      : ({ kind: 'http', url: url!, headers, transport } as const);
  return new McpUpstream({ namespace, target, eras, startTimeoutMs, probeIntervalMs });
}
