import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../bench/call-path/child.ts';
import { GatewayNode, LEASE_MS, writeNodeConfig } from '../crash/node.ts';
import type { StormFault } from './storm.ts';

/** Back a day, forward a minute, back and forth by some minutes. Each stays: a result must not outlive its window. */
const JUMPS_S = [-86_400, 60, -400, 400];
const CLOCK_SCRIPT = pathToFileURL(join(import.meta.dirname, 'clock-offset.js')).href;

export interface NodesOptions {
  readonly folder: string;
  readonly count: number;
  readonly store: object;
  readonly upstreamUrl: string;
}

/** Gateways on one store whose wall clocks can jump together. */
export async function createNodes({
  folder,
  count,
  store,
  upstreamUrl,
}: NodesOptions): Promise<GatewayNode[]> {
  const config = writeNodeConfig(folder, store, upstreamUrl);
  const env = { NODE_OPTIONS: `--import=${CLOCK_SCRIPT}`, TOOLGATE_FAULT_CLOCK: clockOf(folder) };
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
  return ports.map((port) => new GatewayNode({ port, config, home: folder, env }));
}

/** What happens to gateways whatever their store is. */
export function nodeFaults(nodes: readonly GatewayNode[], folder: string): StormFault[] {
  let next = 0;
  const nextNode = (): GatewayNode => nodes[next++ % nodes.length]!;
  let offsetS = 0;
  let jumps = 0;
  return [
    { name: 'pause beyond the lease', inject: () => nextNode().pause(LEASE_MS * (1.2 + Math.random())) },
    {
      name: 'clock jump',
      inject: async () => {
        offsetS += JUMPS_S[jumps++ % JUMPS_S.length]!;
        writeFileSync(clockOf(folder), String(offsetS * 1_000));
        await pause(LEASE_MS);
      },
    },
    {
      name: 'kill',
      inject: async () => {
        const node = nextNode();
        await node.kill();
        await node.start();
      },
    },
  ];
}

function clockOf(folder: string): string {
  return join(folder, 'clock');
}
