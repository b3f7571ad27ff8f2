import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../bench/call-path/child.ts';
import { countingUpstream } from './counting-upstream.ts';
import { charge, type Told } from './customer.ts';
import { GatewayNode } from './node.ts';
import { type Tally, tallyOf } from './tally.ts';

export interface StormOptions {
  readonly kills: number;
  /** How many gateways share the store. */
  readonly nodes: number;
  /** The `store` of their config. */
  readonly store: object;
  readonly onKill?: (kills: number) => void;
}

const CUSTOMERS = 12;
/** Every so manieth key is sent by two callers at once. */
const TWINS = 5;
/** The callers of every so manieth key lose their connection in the middle, once. */
const LOST_LINES = 3;
const LEASE_MS = 1_000;
const CALM_MS = { least: 30, most: 400 };
/** Nothing is killed any more, and connections still break: what is unknown now no kill explains. */
const AFTERMATH_MS = 3_000;

/** Keyed writes from many callers at once, while gateways are killed at random moments and started again. */
export async function storm({ kills, nodes: count, store, onKill }: StormOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-crash-'));
  const upstream = await countingUpstream();
  const config = join(folder, 'toolgate.json');
  writeFileSync(
    config,
    JSON.stringify({
      store,
      idempotency: { leaseMs: LEASE_MS },
      log: { level: 'error' },
      upstreams: { till: { url: upstream.url } },
    }),
  );
  const nodes: GatewayNode[] = [];
  for (let i = 0; i < count; i++) nodes.push(new GatewayNode(await freePort(), config, folder));
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const told = new Map<string, Promise<Told[]>>();
    let stormy = true;
    const customers = Array.from({ length: CUSTOMERS }, async (_, customer) => {
      for (let i = 0; stormy; i++) {
        const key = `order-${customer}-${i}`;
        const callers = i % TWINS === 0 ? 2 : 1;
        const urls = nodes.map(({ url }) => url);
        const losesLine = i % LOST_LINES === 0;
        const answers = Promise.all(Array.from({ length: callers }, () => charge(urls, key, losesLine)));
        told.set(key, answers);
        await answers;
      }
    });
    for (let killed = 1; killed <= kills; killed++) {
      await pause(CALM_MS.least + Math.random() * (CALM_MS.most - CALM_MS.least));
      const node = nodes[killed % count]!;
      await node.kill();
      await node.start();
      onKill?.(killed);
    }
    await pause(AFTERMATH_MS);
    stormy = false;
    await Promise.all(customers);
    const outcomes = await Promise.all(
      [...told].map(async ([key, answers]) => ({ effects: upstream.effectsOf(key), told: await answers })),
    );
    // A kill can leave in doubt what is under way at that moment, and each customer has one key at a time.
    return tallyOf(kills, outcomes, CUSTOMERS * kills);
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
