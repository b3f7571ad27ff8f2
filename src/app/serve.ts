import type { Readable, Writable } from 'node:stream';
import { warmUpSchemas } from '../catalog/schema/compile.ts';
import type { Caller } from '../contract/call/caller.ts';
import { type Identify, identifyLocalUser } from '../ingress/identity.ts';
import { isLoopback, type Listener, listen } from '../ingress/listener.ts';
import { mcpOverHttp } from '../ingress/mcp/http.ts';
import type { MessageLimits } from '../ingress/mcp/parse-message.ts';
import { type StdioServing, serveOnStdio } from '../ingress/mcp/stdio.ts';
import { type StatusReport, statusRoute } from '../ingress/status-route.ts';
import { ConfigError } from './config/config-error.ts';
import type { Config } from './config/load.ts';
import type { Gateway } from './gateway.ts';
import type { Logger } from './logger.ts';
import { warmUpTokenizer } from './wiring/tokenizer.ts';

export interface ServingOptions {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly log: Logger;
  /** Resolves the identity of HTTP requests; every request is the local user's where absent. */
  readonly identify?: Identify;
}

/** Loads modules that would otherwise delay the first call and every concurrent one. */
function warmUp(): void {
  warmUpTokenizer();
  warmUpSchemas();
}

/** Serves MCP over HTTP. */
export async function serveHttp({ gateway, config, log, identify }: ServingOptions): Promise<Listener> {
  if (!identify) requireLoopback(config, log);
  warmUp();
  const { server } = config.settings;
  const mcp = mcpOverHttp({
    api: gateway.api,
    limits: messageLimits(config),
    maxInFlight: server.maxInFlight,
    alwaysStructured: server.structuredContent === 'always',
    maxSubscriptions: server.maxSubscriptions,
    drainTimeoutMs: server.drainTimeoutMs,
    onError: (err) => log.debug({ err }, 'MCP over HTTP failed'),
  });
  const listener = await listen({
    ...server,
    routes: [
      mcp.route,
      statusRoute('/healthz', (caller) => ({ isOk: true, body: healthOf(gateway, caller) })),
      statusRoute('/readyz', () => (mcp.isDraining() ? DRAINING : readinessOf(gateway))),
    ],
    identify: identify ?? identifyLocalUser(gateway.localUser),
    onError: (err) => log.error({ err }, 'HTTP request failed'),
  });
  await gateway.serveMetrics();
  return {
    url: listener.url,
    async close() {
      await mcp.close();
      await listener.close();
    },
  };
}

/** Without authentication, whoever reaches the port is the local user. The Host header is no protection: any client can set it. */
function requireLoopback({ settings: { server }, file }: Config, log: Logger): void {
  const { host, allowedHosts, allowUnauthenticated } = server;
  if (isLoopback(host) || host.startsWith('127.')) return;
  if (!allowUnauthenticated || allowedHosts.length === 0) {
    throw new ConfigError(file, [
      `server.host: ${host} is reachable from other machines, and callers are not authenticated`,
      'use 127.0.0.1, or list the host names in server.allowedHosts and set server.allowUnauthenticated to true',
    ]);
  }
  log.warn({ host }, 'callers are not authenticated: everybody who reaches this address can call every tool');
}

/** Serves MCP over stdio. */
export function serveStdio(
  { gateway, config, log }: ServingOptions,
  streams: { readonly stdin: Readable; readonly stdout: Writable },
): StdioServing {
  // Deferred, so that the client's initialize request is answered first.
  setImmediate(warmUp);
  void gateway.serveMetrics();
  return serveOnStdio({
    ...streams,
    api: gateway.api,
    principal: gateway.localUser,
    limits: messageLimits(config),
    alwaysStructured: config.settings.server.structuredContent === 'always',
    drainTimeoutMs: config.settings.server.drainTimeoutMs,
    onError: (err) => log.debug({ err }, 'MCP over stdio failed'),
  });
}

function messageLimits({ settings: { server } }: Config): MessageLimits {
  return { maxBytes: server.maxBodyBytes, maxDepth: server.maxDepth, maxBatch: 100 };
}

/** The process answers, and these upstreams are known to the caller. */
function healthOf({ api }: Gateway, caller: Caller): object {
  const upstreams = api.upstreams(caller).map(({ namespace, state, tools }) => ({
    namespace,
    state: state.kind,
    tools,
  }));
  return { status: 'ok', upstreams };
}

/** Calls in flight may still end, and new ones are refused: a balancer must use another node. */
const DRAINING: StatusReport = { isOk: false, body: { status: 'draining' } };

/** Not ready while receipts wait to be written, or the store is gone: a balancer should prefer another node. */
function readinessOf({ receipts, storeProblem }: Gateway): StatusReport {
  const { pending, lost } = receipts.health;
  const isStoreUsable = storeProblem() === undefined;
  const isOk = pending === 0 && isStoreUsable;
  const store = isStoreUsable ? 'ok' : 'unusable';
  return { isOk, body: { status: isOk ? 'ready' : 'degraded', store, receipts: { pending, lost } } };
}
