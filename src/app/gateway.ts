/** The only file that names concrete engines: here the house is put together. */
import { join } from 'node:path';
import { admit } from '../catalog/admit.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Stores } from '../contract/ports/stores.ts';
import type { Upstream } from '../contract/ports/upstream.ts';
import { LOCAL_USER, type Principal } from '../contract/principal.ts';
import { CatalogError } from '../contract/tool-id.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';
import { browse } from '../discovery/browse.ts';
import { maySee } from '../governance/may-see.ts';
import { requiredScopes } from '../governance/rules/required-scopes.ts';
import type { House } from '../ingress/mcp/gateway/surface.ts';
import { CallEvents } from '../lifecycle/events.ts';
import type { Gate } from '../lifecycle/gate.ts';
import { invoke } from '../lifecycle/invoke.ts';
import { ownerOf } from '../results/artifact.ts';
import { viewArtifact } from '../results/view.ts';
import { openPostgresStores } from '../stores/postgres/open.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { logCalls } from '../telemetry/call-log.ts';
import { McpUpstream } from '../upstreams/mcp/upstream.ts';
import { type NativeTool, NativeUpstream } from '../upstreams/native/upstream.ts';
import { UnusableUpstream } from '../upstreams/unusable.ts';
import type { Config, ConfiguredUpstream } from './config.ts';
import { eraFile } from './era-file.ts';
import type { Logger } from './logger.ts';
import { countTokens } from './tokenizer.ts';

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Tools written in this process, by namespace. */
  readonly native?: Readonly<Record<string, readonly NativeTool[]>>;
  /** Start only these upstreams; all of them where absent. */
  readonly only?: readonly string[];
  readonly onUpstreamState?: (status: UpstreamStatus) => void;
}

export interface Gateway {
  readonly house: House;
  readonly localUser: Principal;
  readonly events: CallEvents;
  readonly snapshot: () => CatalogSnapshot;
  readonly upstreams: () => readonly UpstreamStatus[];
  /** Starts every upstream at once. Resolves when each has answered or has a reason why not. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How long a caller that is early waits for upstreams that are still starting. */
const EARLY_CALLER_PATIENCE_MS = 10_000;
const MEGABYTE = 1_048_576;
const MINUTE_MS = 60_000;

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log } = options;
  const { settings } = config;
  const stores = await openStores(config);
  const catalog = new Catalog({ onInvalid: settings.catalog.onInvalid });
  const events = new CallEvents();
  events.subscribe(logCalls(log));
  const upstreams = new Map(configuredSources(options).map((source) => [source.upstream.namespace, source]));

  const status = ({ namespace, state }: Upstream): UpstreamStatus => ({
    namespace,
    state,
    tools: catalog.snapshot.contracts.filter((contract) => contract.namespace === namespace).length,
  });
  const statuses = (): UpstreamStatus[] => [...upstreams.values()].map(({ upstream }) => status(upstream));

  const gate: Gate = {
    catalog,
    maySee,
    rules: [requiredScopes],
    upstream: (namespace) => upstreams.get(namespace)?.upstream,
    firewall: {
      artifacts: stores.artifacts,
      countTokens,
      thresholdTokens: settings.results.thresholdTokens,
      artifactTtlMs: settings.results.artifactTtlMinutes * MINUTE_MS,
      artifactQuotaBytes: settings.results.artifactQuotaMegabytes * MEGABYTE,
    },
    receipts: stores.receipts,
    events,
  };

  let settled: Promise<unknown> = Promise.resolve();
  const started = async (): Promise<void> => {
    if (!statuses().some(({ state }) => state.kind === 'starting')) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, EARLY_CALLER_PATIENCE_MS);
    await Promise.race([settled, promise]).finally(() => clearTimeout(timer));
  };

  const house: House = {
    async browse(principal, request) {
      await started();
      const shelf = {
        snapshot: catalog.snapshot,
        upstreams: statuses(),
        maySee: (contract: Parameters<typeof maySee>[0]['contract']) => maySee({ principal, contract }),
        countTokens,
      };
      return browse(shelf, request);
    },
    async invoke(arrival) {
      await started();
      return invoke(gate, arrival);
    },
    view: (principal, handle, selector) =>
      viewArtifact(stores.artifacts, { owner: ownerOf(principal), handle, selector }),
  };

  const startOne = ({ upstream, expose }: Source): Promise<void> =>
    upstream.start({
      described: (descriptors) => {
        const { catalog: limits } = settings;
        const admission = admit(upstream.namespace, descriptors, {
          profile: settings.profile,
          overBudget: limits.overBudget,
          visibility: expose,
          limits: {
            maxBytes: limits.maxSchemaBytes,
            maxDepth: limits.maxSchemaDepth,
            maxProperties: limits.maxSchemaProperties,
            maxSubschemas: limits.maxSchemaProperties * 4,
          },
        });
        try {
          catalog.replace(admission);
        } catch (thrown) {
          if (!(thrown instanceof CatalogError)) throw thrown;
          log.error({ upstream: upstream.namespace, err: thrown }, 'refresh refused');
        }
      },
      stateChanged: (state) => {
        const fields = { upstream: upstream.namespace, state };
        if (state.kind === 'ready' || state.kind === 'starting' || state.kind === 'stopped')
          log.info(fields, 'upstream');
        else log.warn(fields, 'upstream not available');
        options.onUpstreamState?.(status(upstream));
      },
    });

  return {
    house,
    localUser: { ...LOCAL_USER, scopes: settings.identity.localScopes },
    events,
    snapshot: () => catalog.snapshot,
    upstreams: statuses,
    async start() {
      settled = Promise.all([...upstreams.values()].map(startOne));
      await settled;
    },
    async close() {
      await Promise.all([...upstreams.values()].map(({ upstream }) => upstream.stop()));
      await stores.close();
    },
  };
}

async function openStores({ settings, sqliteFile }: Config): Promise<Stores> {
  const { postgres } = settings.store;
  return postgres === undefined
    ? openSqliteStores({ file: sqliteFile })
    : openPostgresStores({ url: postgres });
}

interface Source {
  readonly upstream: Upstream;
  readonly expose: 'external' | 'internal';
}

function configuredSources({ config, native = {}, only }: GatewayOptions): Source[] {
  const wanted = (namespace: string): boolean => only?.includes(namespace) ?? true;
  const eras = eraFile(join(config.stateFolder, 'eras.json'));
  const configured = config.upstreams
    .filter(({ namespace, settings }) => settings.enabled && wanted(namespace))
    .map((entry) => ({ upstream: upstreamFor(entry, config, eras), expose: entry.settings.expose }));
  const inProcess = Object.entries(native)
    .filter(([namespace]) => wanted(namespace))
    .map(([namespace, tools]) => ({
      upstream: new NativeUpstream(namespace, tools),
      expose: 'external' as const,
    }));
  return [...configured, ...inProcess];
}

function upstreamFor(
  { namespace, settings, unusable }: ConfiguredUpstream,
  { childEnvironment }: Config,
  eras: ReturnType<typeof eraFile>,
): Upstream {
  if (unusable !== undefined) return new UnusableUpstream(namespace, unusable);
  const { command, args, env, cwd, url, headers, transport, startTimeoutMs, probeIntervalMs } = settings;
  const target =
    command !== undefined
      ? ({ kind: 'stdio', command, args, env: { ...childEnvironment, ...env }, cwd } as const)
      : ({ kind: 'http', url: url!, headers, transport } as const);
  return new McpUpstream({ namespace, target, eras, startTimeoutMs, probeIntervalMs });
}
