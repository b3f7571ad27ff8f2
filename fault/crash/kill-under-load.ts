import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../bench/call-path/child.ts';
import { type ClientAnswer, charge } from './client.ts';
import { startCountingUpstream } from './counting-upstream.ts';
import { GatewayNode, writeNodeConfig } from './node.ts';
import { type CrashReport, createReport } from './report.ts';

export interface KillOptions {
  readonly kills: number;
  /** How many gateways share the store. */
  readonly nodes: number;
  /** The `store` of their config. */
  readonly store: object;
  readonly onKill?: (kills: number) => void;
}

const CLIENTS = 12;
/** Every fifth key is sent by two clients at once. */
const SHARED_KEY_INTERVAL = 5;
/** The connection breaks once for every third key. */
const BROKEN_CONNECTION_INTERVAL = 3;
const PAUSE_MS = { min: 30, max: 400 };
/** Load without kills at the end, while connections still break: an outcome that is unknown now is not explained by a kill. */
const LOAD_AFTER_KILLS_MS = 3_000;

/** Sends keyed writes from many clients at once, while gateways are killed at random times and started again. */
export async function killUnderLoad({
  kills,
  nodes: count,
  store,
  onKill,
}: KillOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-crash-'));
  const upstream = await startCountingUpstream();
  const config = writeNodeConfig(folder, store, upstream.url);
  const nodes: GatewayNode[] = [];
  for (let i = 0; i < count; i++) {
    nodes.push(new GatewayNode({ port: await freePort(), config, home: folder }));
  }
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const load = startLoad(nodes.map(({ url }) => url));
    for (let killed = 1; killed <= kills; killed++) {
      await pause(PAUSE_MS.min + Math.random() * (PAUSE_MS.max - PAUSE_MS.min));
      const node = nodes[killed % count]!;
      await node.kill();
      await node.start();
      onKill?.(killed);
    }
    await pause(LOAD_AFTER_KILLS_MS);
    const answers = await load.stop();
    const outcomes = [...answers].map(([key, received]) => ({
      effects: upstream.effectsOf(key),
      answers: received,
    }));
    // A kill affects the calls in flight, and each client has one key in flight.
    return createReport(outcomes, { kills, maxUnknown: CLIENTS * kills });
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Load {
  /** Resolves, when every call has ended, to the answers for each key. */
  stop(): Promise<ReadonlyMap<string, readonly ClientAnswer[]>>;
}

export function startLoad(urls: readonly string[]): Load {
  const answers = new Map<string, readonly ClientAnswer[]>();
  let isRunning = true;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let i = 0; isRunning; i++) {
      const key = `order-${client}-${i}`;
      const senders = i % SHARED_KEY_INTERVAL === 0 ? 2 : 1;
      const breaksConnection = i % BROKEN_CONNECTION_INTERVAL === 0;
      const calls = Array.from({ length: senders }, () => charge({ urls, key, breaksConnection }));
      answers.set(key, await Promise.all(calls));
    }
  });
  return {
    async stop() {
      isRunning = false;
      await Promise.all(clients);
      return answers;
    },
  };
}
