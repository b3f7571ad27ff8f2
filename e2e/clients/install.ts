import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from './clients.ts';

const run = promisify(execFile);

export interface InstalledClient {
  readonly program: string;
  readonly version: string;
}

/** Installs the newest version of a client into a folder of its own, as its users do. */
export async function installClient(
  { npmPackage, program }: Client,
  folder: string,
): Promise<InstalledClient> {
  await run('npm', [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--ignore-scripts=false',
    npmPackage,
  ]);
  const path = join(folder, 'node_modules', '.bin', program);
  const { stdout } = await run(path, ['--version']);
  return { program: path, version: /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim() };
}
