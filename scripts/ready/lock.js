import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { printStatus } from './run-step.js';

const heartbeatMs = 1_000;
const abandonedAfterMs = 10_000;

/**
 * Runs the work while no other process holds the lock file. The holder updates the file's time, so that the lock of a killed run
 * expires by age: process ids are reused, and are not valid across containers that share a checkout.
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
    if (attempt === 1) printStatus('Waiting for another process that is preparing this checkout …');
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
  // The file is missing after .node/ was deleted manually; that must not stop a running install.
  if (existsSync(file)) utimesSync(file, now, now);
}
