import { setTimeout as pause } from 'node:timers/promises';
import { startCountingUpstream } from '../crash/counting-upstream.ts';
import { startLoad } from '../crash/kill-under-load.ts';
import type { GatewayNode } from '../crash/node.ts';
import { createStormReport, type StormReport } from './report.ts';

/** What is done to the gateways or to their store while calls are in flight. */
export interface StormFault {
  readonly name: string;
  /** Resolves when the cause is gone: the gateways must then recover by themselves. */
  inject(): Promise<void>;
}

export interface StormStage {
  readonly nodes: readonly GatewayNode[];
  readonly faults: readonly StormFault[];
  close(): Promise<void>;
}

export interface StormOptions {
  readonly seconds: number;
  /** Starts nothing yet; the nodes call the upstream at this address. */
  readonly prepare: (upstreamUrl: string) => Promise<StormStage>;
  readonly onFault?: (name: string) => void;
}

const PAUSE_MS = { min: 200, max: 1_000 };
/** Load without faults at the end, which must find every key free or answered. */
const LOAD_AFTER_FAULTS_MS = 3_000;

/** Sends keyed writes from many clients at once while one fault follows the other. */
export async function runStorm({ seconds, prepare, onFault }: StormOptions): Promise<StormReport> {
  const upstream = await startCountingUpstream();
  const stage = await prepare(upstream.url);
  const counts = new Map<string, number>();
  try {
    await Promise.all(stage.nodes.map((node) => node.start()));
    const load = startLoad(stage.nodes.map(({ url }) => url));
    const end = performance.now() + seconds * 1_000;
    for (let at = 0; performance.now() < end; at++) {
      await pause(PAUSE_MS.min + Math.random() * (PAUSE_MS.max - PAUSE_MS.min));
      const { name, inject } = stage.faults[at % stage.faults.length]!;
      onFault?.(name);
      await inject();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    await pause(LOAD_AFTER_FAULTS_MS);
    const answers = await load.stop();
    const outcomes = [...answers].map(([key, received]) => ({
      effects: upstream.effectsOf(key),
      answers: received,
    }));
    return createStormReport(outcomes, counts);
  } finally {
    await Promise.all(stage.nodes.map((node) => node.kill()));
    await stage.close();
    await upstream.close();
  }
}
