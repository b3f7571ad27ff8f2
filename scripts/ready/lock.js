import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './run-step.js';

const heartbeatMs = 1_000;
const abandonedAfterMs = 10_000;

/**
 * Does the work while no other process holds the same lock file. The holder keeps the file's time fresh, so that a killed run is
 * noticed by age: process ids are reused, and mean nothing across containers that share a checkout.
 */
export async function withLock(file, work) {
  await acquire(file);
  const heartbeat = setInterval(() => touch(file), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(file, { force: true });
  }
}

async function acquire(file) {
  for (let attempt = 0; !tryCreate(file); attempt++) {
    if (attempt === 1) say('Waiting for another run that is setting up this checkout …');
    if (isAbandoned(file)) rmSync(file, { force: true });
    else await sleep(300);
  }
}

function tryCreate(file) {
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAbandoned(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs;
}

function touch(file) {
  const now = new Date();
  // Gone when somebody cleared .node/ by hand; that must not end a running install.
  if (existsSync(file)) utimesSync(file, now, now);
}
