import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../bench/call-path/child.ts';
import { GatewayNode } from '../../fault/crash/node.ts';
import { type Check, checkRequests } from './checks.ts';
import type { Client, Command } from './clients.ts';
import type { InstalledClient } from './install.ts';
import { startModelApi } from './model-api.ts';

const FILES_SERVER = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);
const TASK_TIMEOUT_MS = 180_000;

export interface TaskReport {
  readonly checks: readonly Check[];
  /** The texts that the model read, in order. */
  readonly results: readonly string[];
  /** What the client printed, for a failed check. */
  readonly output: string;
}

/** Lets one client do the whole task through a gateway, with the scripted model behind a loopback API. */
export async function runTask(
  client: Client,
  installed: InstalledClient,
  folder: string,
): Promise<TaskReport> {
  const lines = fileLines();
  const files = join(folder, 'files');
  const home = join(folder, 'home');
  for (const path of [files, home]) mkdirSync(path, { recursive: true });
  const file = join(files, 'stations.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const config = join(folder, 'toolgate.json');
  const upstream = { command: process.execPath, args: [FILES_SERVER, files] };
  writeFileSync(config, JSON.stringify({ upstreams: { files: upstream } }));

  const gateway = new GatewayNode({ port: await freePort(), config, home: join(folder, 'state') });
  const model = await startModelApi(client.api, file);
  try {
    await gateway.start();
    const command = client.prepare({ home, gatewayUrl: gateway.url, modelOrigin: model.origin });
    const output = await runClient(installed.program, command, home);
    const checks = checkRequests(model, lines);
    return { checks, results: model.inputs.at(-1)?.results ?? [], output };
  } finally {
    model.close();
    await gateway.kill();
  }
}

/** A text of 7 kB with many numbers, so that it has more tokens than pass whole. Every line is different. */
function fileLines(): string[] {
  return Array.from({ length: 130 }, (_, index) => {
    const number = index + 1;
    const position = `${(48 + number / 7).toFixed(4)} N, ${(2 + number / 9).toFixed(4)} E`;
    return `Station ${number}: ${position}, ${980 + ((number * 37) % 60)} hPa, code ${number * 7919}`;
  });
}

async function runClient(program: string, { args, env }: Command, home: string): Promise<string> {
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TASK_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return `${stdout}${stderr}`.trim();
}
