/** Runs the built command line as a user does, with an empty home folder. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { folderWith } from './folder.ts';

const BIN = fileURLToPath(new URL('../bin/toolgate.js', import.meta.url));

/** The MCP reference server over stdio. */
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

/** A home folder and a current folder for the commands of one test. */
export interface Machine {
  readonly folder: string;
  readonly home: string;
  run(args: readonly string[], stdin?: string): Promise<Run>;
  start(args: readonly string[]): Running;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Run>;
  /** The output so far. */
  readonly output: { stdout: string; stderr: string };
}

/** Creates a machine whose current folder contains these files. */
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
      // A command that does not read its input may exit before all of it is written.
      child.stdin.on('error', () => {});
      child.stdin.end(stdin);
      return ended;
    },
  };
}
