import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';
import type { Contestant, Launched, Server } from './contestants.ts';
import { checkedEcho } from './echo.ts';
import { openWire, type Wire } from './wire.ts';

/** A contestant that has answered. */
export interface Runner {
  readonly contestant: Contestant;
  readonly running: Running;
  readonly wire: Wire;
}

export interface Running {
  readonly server: Server;
  readonly child: Child;
  readonly url: string;
  /** From the start of the process to its first right answer. */
  readonly firstAnswerMs: number;
}

export interface Failure {
  readonly name: string;
  readonly reason: string;
}

export interface Field {
  readonly runners: readonly Runner[];
  readonly servers: readonly Running[];
  readonly failures: readonly Failure[];
}

const START_TIMEOUT_MS = 30_000;
const BETWEEN_ATTEMPTS_MS = 10;

/** One after the other, so that each start has the machine to itself. Whoever fails is left behind with the reason. */
export async function startAll(
  contestants: readonly Contestant[],
  { folder, connections }: { readonly folder: string; readonly connections: number },
): Promise<Field> {
  const servers = new Map<Server, Running>();
  const runners: Runner[] = [];
  const failures: Failure[] = [];
  for (const contestant of contestants) {
    const { name, server, era } = contestant;
    try {
      const running = servers.get(server);
      const runner = running
        ? { contestant, running, wire: await openWire(running.url, era, connections) }
        : await launch(contestant, { folder: join(folder, server.name), connections });
      servers.set(server, runner.running);
      runners.push(runner);
    } catch (thrown) {
      failures.push({ name, reason: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }
  return { runners, servers: [...servers.values()], failures };
}

async function launch(
  contestant: Contestant,
  { folder, connections }: { readonly folder: string; readonly connections: number },
): Promise<Runner> {
  const { server } = contestant;
  mkdirSync(folder, { recursive: true });
  const began = performance.now();
  const launched = await server.launch(folder);
  const { child } = launched;
  try {
    const { url, wire } = await firstAnswer(contestant, launched, connections);
    return { contestant, running: { server, child, url, firstAnswerMs: performance.now() - began }, wire };
  } catch (thrown) {
    await child.end();
    throw thrown;
  }
}

/** The wire stays open: some gateways start a process for each session, and a second one would burden them. */
async function firstAnswer(
  contestant: Contestant,
  { child, url: announced }: Launched,
  connections: number,
): Promise<{ url: string; wire: Wire }> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  const url = await Promise.race([announced, child.ended, tooLate()]);
  while (true) {
    let wire: Wire | undefined;
    try {
      wire = await openWire(url, contestant.era, connections);
      await checkedEcho(contestant, wire);
      return { url, wire };
    } catch (thrown) {
      await wire?.close();
      if (performance.now() > deadline) throw thrown;
    }
    await Promise.race([sleep(BETWEEN_ATTEMPTS_MS), child.ended]);
  }
}

async function tooLate(): Promise<never> {
  await sleep(START_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`it did not say where it listens within ${START_TIMEOUT_MS / 1_000} s`);
}
