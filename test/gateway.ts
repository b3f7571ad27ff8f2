/** Opens a complete gateway with real upstreams in this process, with its own state folder. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../src/app/config/load.ts';
import { type Gateway, type GatewayOptions, openGateway } from '../src/app/gateway.ts';
import { makeLogger } from '../src/app/logger.ts';
import { serveHttp } from '../src/app/serve.ts';
import type { CallHandles, CallRequest } from '../src/contract/call/call-request.ts';
import { type Caller, createCaller } from '../src/contract/call/caller.ts';
import type { Outcome } from '../src/contract/call/outcome.ts';
import type { Receipt } from '../src/contract/call/receipt.ts';
import type { UpstreamState } from '../src/contract/upstream-state.ts';
import type { Identify } from '../src/ingress/identity.ts';
import { openSqliteStores } from '../src/stores/sqlite/open.ts';
import { listReceipts } from './receipts.ts';

/** What a test may state of a call, besides its tool and arguments. */
export type TestCall = Partial<CallRequest> & CallHandles & Partial<Caller>;

export interface TestGateway {
  readonly gateway: Gateway;
  readonly config: Config;
  /** Base address of the listener; MCP is at `/mcp`. */
  readonly url: string;
  readonly home: string;
  call(tool: string, args?: object, more?: TestCall): Promise<Outcome>;
  state(namespace: string): UpstreamState;
  /** The names of an upstream's tools in catalog order. */
  toolNames(namespace: string): string[];
  /** Receipts read from the store file, as another process reads them. */
  receipts(): Promise<readonly Receipt[]>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  /** Further settings of the config. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly native?: GatewayOptions['native'];
  /** A state folder that outlives the gateway (default: a temporary one). */
  readonly home?: string;
  readonly onUpstreamState?: GatewayOptions['onUpstreamState'];
  readonly rules?: GatewayOptions['rules'];
  readonly identify?: Identify;
  /** Whether to start the upstreams (default: true). */
  readonly start?: boolean;
}

/** Opens a gateway that is closed when the test ends. */
export async function openedGateway(...args: Parameters<typeof openTestGateway>): Promise<TestGateway> {
  const opened = await openTestGateway(...args);
  onTestFinished(opened.close);
  return opened;
}

export async function openTestGateway(
  upstreams: Readonly<Record<string, object>>,
  {
    settings = {},
    native,
    home = temporaryFolder(),
    onUpstreamState,
    rules,
    identify,
    start = true,
  }: TestGatewayOptions = {},
): Promise<TestGateway> {
  const config = configIn(home, { server: { port: 0, drainTimeoutMs: 10_000 }, ...settings, upstreams });
  const log = makeLogger('silent');
  const gateway = await openGateway({
    config,
    log,
    ...(native && { native }),
    ...(onUpstreamState && { onUpstreamState }),
    ...(rules && { rules }),
  });
  const listener = await serveHttp({ gateway, config, log, ...(identify && { identify }) });
  if (start) await gateway.start();
  return {
    gateway,
    config,
    url: listener.url,
    home,
    call: (tool, args = {}, more = {}) => invokeAsLocalUser(gateway, tool, args, more),
    state: (namespace) => gateway.upstreams().find((status) => status.namespace === namespace)!.state,
    toolNames: (namespace) =>
      gateway
        .snapshot()
        .contracts.filter((contract) => contract.namespace === namespace)
        .map(({ name }) => name),
    receipts: async () => {
      const stores = await openSqliteStores({ file: config.sqliteFile });
      try {
        return await listReceipts(stores.receipts, { limit: 100 });
      } finally {
        await stores.close();
      }
    },
    close: async () => {
      await listener.close();
      await gateway.close();
    },
  };
}

function invokeAsLocalUser(
  { api, localUser }: Gateway,
  tool: string,
  args: object,
  more: TestCall,
): Promise<Outcome> {
  const { signal, cancelled, onProgress, principal = localUser, sessionId, trace, ...request } = more;
  const caller = createCaller(principal, {
    surface: 'test',
    ...(sessionId !== undefined && { sessionId }),
    ...(trace && { trace }),
  });
  const handles = {
    ...(signal && { signal }),
    ...(cancelled && { cancelled }),
    ...(onProgress && { onProgress }),
  };
  return api.invoke({ caller, tool, args, ...request }, handles);
}

/** Sets the state folder in the environment only while the config is loaded. */
function configIn(home: string, settings: Readonly<Record<string, unknown>>): Config {
  const before = process.env.TOOLGATE_HOME;
  process.env.TOOLGATE_HOME = home;
  try {
    return loadConfig({ settings });
  } finally {
    if (before === undefined) delete process.env.TOOLGATE_HOME;
    else process.env.TOOLGATE_HOME = before;
  }
}

const folders: string[] = [];

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-test-'));
  folders.push(folder);
  return folder;
}

// Vitest ends a worker without an exit event, so the folders are removed here.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** The lines that a test server has logged so far and that start with `beginning`. */
export function linesOf(log: string, beginning = ''): string[] {
  try {
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && line.startsWith(beginning));
  } catch {
    return [];
  }
}

export function textOf(outcome: Outcome): string {
  if (outcome.status !== 'ok' || outcome.view.kind !== 'whole') {
    throw new Error(`not a complete result: ${JSON.stringify(outcome)}`);
  }
  return outcome.view.content.map((part) => ('text' in part ? String(part.text) : '')).join('');
}

export function errorCodeOf(outcome: Outcome): string {
  return outcome.status === 'failed' ? outcome.error.code : outcome.status;
}

const MAX_WAIT_MS = 45_000;

/** Polls until a value appears, with a timeout for very slow machines. */
export async function until<Value>(
  description: string,
  poll: () => Value | undefined | false | Promise<Value | undefined | false>,
): Promise<Value> {
  const end = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const value = await poll();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`timed out waiting for ${description}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The process ids in the log of a test server; the last one is the running process. */
export function processesIn(log: string): number[] {
  return linesOf(log, 'start ').map((line) => Number(line.slice('start '.length)));
}

export function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
