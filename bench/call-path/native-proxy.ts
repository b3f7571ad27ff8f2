/** The proxy `mcp-proxy` of crates.io, written in Rust: the mark of a native program. Built with cargo, if that is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, freePort, startProgram } from './child.ts';

const VERSION = '0.6.0';
const FOLDER = fileURLToPath(new URL('../results/native/', import.meta.url));
const PROGRAM = join(FOLDER, 'bin', 'mcp-proxy');

/** Builds the program once, which takes minutes. @returns why there is none, or undefined. */
export function buildNativeProxy(progress: (line: string) => void): string | undefined {
  if (existsSync(PROGRAM)) return undefined;
  if (spawnSync('cargo', ['--version']).status !== 0) return 'cargo is not installed';
  progress(`building mcp-proxy ${VERSION} with cargo`);
  const args = ['install', 'mcp-proxy', '--version', VERSION, '--locked', '--root', FOLDER];
  const { status } = spawnSync('cargo', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return status === 0 ? undefined : 'cargo could not build mcp-proxy';
}

/** Starts the proxy before an upstream over HTTP. Its tools are named `everything/…`. */
export async function startNativeProxy(
  folder: string,
  upstreamUrl: string,
): Promise<{ child: Child; url: string }> {
  const port = await freePort();
  const config = join(folder, 'proxy.toml');
  writeFileSync(
    config,
    `[proxy]
name = "bench"
separator = "/"

[proxy.listen]
host = "127.0.0.1"
port = ${port}

[[backends]]
name = "everything"
transport = "http"
url = "${upstreamUrl}"
`,
  );
  return { child: startProgram(PROGRAM, ['--config', config]), url: `http://127.0.0.1:${port}/` };
}
