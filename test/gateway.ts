/** A whole gateway with real upstreams, for one test: opened in this process, in a folder of its own. */
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
  /** Where it listens: add `/mcp`. */
  readonly url: string;
  readonly home: string;
  call(tool: string, args?: object, more?: TestCall): Promise<Outcome>;
  state(namespace: string): UpstreamState;
  /** The names of an upstream's tools, in the order of the catalog. */
  toolNames(namespace: string): string[];
  /** Read from the file, as another process would. */
  receipts(): Promise<readonly Receipt[]>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  /** The rest of the config. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly native?: GatewayOptions['native'];
  /** A state folder that outlives the gateway; a new one, removed at the end, where absent. */
  readonly home?: string;
  readonly onUpstreamState?: GatewayOptions['onUpstreamState'];
  readonly rules?: GatewayOptions['rules'];
  readonly identify?: Identify;
  /** Whether its upstreams are started: yes where absent. */
  readonly start?: boolean;
}

/** The same, closed when the test ends. */
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
  const config = configIn(home, { server: { port: 0 }, ...settings, upstreams });
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

/** The state folder comes from the environment, which has one reader and is put back at once. */
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

// A worker is ended without an exit event.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** The lines that a test server has settings so far, those that begin with `start` or whatever is asked for. */
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
    throw new Error(`no whole answer: ${JSON.stringify(outcome)}`);
  }
  return outcome.view.content.map((part) => ('text' in part ? String(part.text) : '')).join('');
}

export function errorCodeOf(outcome: Outcome): string {
  return outcome.status === 'failed' ? outcome.error.code : outcome.status;
}

const HANG_MS = 45_000;

/** Waits for something that must come, however slow the machine is. */
export async function until<Value>(
  what: string,
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
): Promise<Value> {
  const end = Date.now() + HANG_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The process ids of a test server, by its log: the last one is the one that serves. */
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
