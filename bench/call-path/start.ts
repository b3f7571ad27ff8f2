import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';
import { type Client, openClient } from './client.ts';
import { callEcho } from './echo.ts';
import type { Launched, Server, Target } from './targets.ts';

/** A target that has answered its first call. */
export interface ConnectedTarget {
  readonly target: Target;
  readonly running: RunningServer;
  readonly client: Client;
}

export interface RunningServer {
  readonly server: Server;
  readonly child: Child;
  readonly url: string;
  /** From the start of the process to its first correct answer. */
  readonly firstAnswerMs: number;
}

export interface Failure {
  readonly name: string;
  readonly reason: string;
}

export interface StartedTargets {
  readonly connected: readonly ConnectedTarget[];
  readonly servers: readonly RunningServer[];
  readonly failures: readonly Failure[];
}

const START_TIMEOUT_MS = 30_000;
const RETRY_DELAY_MS = 10;

/** Starts one target after the other, so that starts do not slow each other down. A failure is recorded with its reason. */
export async function startAll(
  targets: readonly Target[],
  { folder, connections }: { readonly folder: string; readonly connections: number },
): Promise<StartedTargets> {
  const servers = new Map<Server, RunningServer>();
  const connected: ConnectedTarget[] = [];
  const failures: Failure[] = [];
  for (const target of targets) {
    const { name, server, era } = target;
    try {
      const running = servers.get(server);
      const started = running
        ? { target, running, client: await openClient(running.url, era, connections) }
        : await launch(target, { folder: join(folder, server.name), connections });
      servers.set(server, started.running);
      connected.push(started);
    } catch (thrown) {
      failures.push({ name, reason: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }
  return { connected, servers: [...servers.values()], failures };
}

async function launch(
  target: Target,
  { folder, connections }: { readonly folder: string; readonly connections: number },
): Promise<ConnectedTarget> {
  const { server } = target;
  mkdirSync(folder, { recursive: true });
  const startedAt = performance.now();
  const launched = await server.launch(folder);
  const { child } = launched;
  try {
    const { url, client } = await waitForFirstAnswer(target, launched, connections);
    return { target, running: { server, child, url, firstAnswerMs: performance.now() - startedAt }, client };
  } catch (thrown) {
    await child.stop();
    throw thrown;
  }
}

/** The client stays open: some gateways start one process per session, and a second session would add load. */
async function waitForFirstAnswer(
  target: Target,
  { child, url: announced }: Launched,
  connections: number,
): Promise<{ url: string; client: Client }> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  const url = await Promise.race([announced, child.exited, failAfterTimeout()]);
  while (true) {
    let client: Client | undefined;
    try {
      client = await openClient(url, target.era, connections);
      await callEcho(target, client);
      return { url, client };
    } catch (thrown) {
      await client?.close();
      if (performance.now() > deadline) throw thrown;
    }
    await Promise.race([sleep(RETRY_DELAY_MS), child.exited]);
  }
}

async function failAfterTimeout(): Promise<never> {
  await sleep(START_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`it printed no URL within ${START_TIMEOUT_MS / 1_000} s`);
}
