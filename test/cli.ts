/** The built command line, run as a user runs it, on a machine that has nothing of ours. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { folderWith } from './folder.ts';

const BIN = fileURLToPath(new URL('../bin/toolgate.js', import.meta.url));

/** The reference server, over stdio. */
export const EVERYTHING: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
    'stdio',
  ],
};

export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine: a home of its own, and a present folder with these files in it. */
export interface Machine {
  readonly folder: string;
  readonly home: string;
  run(args: readonly string[], stdin?: string): Promise<Run>;
  start(args: readonly string[]): Running;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Run>;
  /** What standard output and standard error hold so far. */
  readonly output: { stdout: string; stderr: string };
}

export function machineWith(files: Readonly<Record<string, string | object>> = {}): Machine {
  const texts = Object.entries(files).map(
    ([name, content]) => [name, typeof content === 'string' ? content : JSON.stringify(content)] as const,
  );
  const folder = folderWith(Object.fromEntries(texts));
  const home = folderWith();
  const start = (args: readonly string[]): Running => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home, TOOLGATE_HOME: `${home}/state` },
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    const ended = new Promise<Run>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal, ...output }));
    });
    return { child, ended, output };
  };
  return {
    folder,
    home,
    start,
    run: (args, stdin = '') => {
      const { child, ended } = start(args);
      // A command that does not read its input may be gone before all of it is written.
      child.stdin.on('error', () => {});
      child.stdin.end(stdin);
      return ended;
    },
  };
}
