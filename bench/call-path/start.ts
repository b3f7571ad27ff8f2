import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';
import type { Contestant, Server } from './contestants.ts';
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
      const running = servers.get(server) ?? (await launch(contestant, join(folder, server.name)));
      servers.set(server, running);
      runners.push({ contestant, running, wire: await openWire(running.url, era, connections) });
    } catch (thrown) {
      failures.push({ name, reason: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }
  return { runners, servers: [...servers.values()], failures };
}

async function launch(contestant: Contestant, folder: string): Promise<Running> {
  const { server } = contestant;
  mkdirSync(folder, { recursive: true });
  const began = performance.now();
  const { child, url } = await server.launch(folder);
  const deadline = began + START_TIMEOUT_MS;
  try {
    const answering = url.then((address) => untilFirstAnswer(contestant, address, deadline));
    const address = await Promise.race([answering, child.ended, timeout(deadline)]);
    return { server, child, url: address, firstAnswerMs: performance.now() - began };
  } catch (thrown) {
    await child.end();
    throw thrown;
  }
}

async function untilFirstAnswer(contestant: Contestant, url: string, deadline: number): Promise<string> {
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const wire = await openWire(url, contestant.era, 1);
      await checkedEcho(contestant, wire).finally(() => wire.close());
      return url;
    } catch (thrown) {
      last = thrown;
      await sleep(BETWEEN_ATTEMPTS_MS);
    }
  }
  throw last;
}

async function timeout(deadline: number): Promise<never> {
  // A little later than the attempts themselves give up: they know the reason.
  await sleep(deadline - performance.now() + 500, undefined, { ref: false });
  throw new Error(`no answer within ${START_TIMEOUT_MS / 1_000} s`);
}
