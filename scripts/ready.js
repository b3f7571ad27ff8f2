#!/usr/bin/env node
// Prepares a fresh machine and runs a task: `node scripts/ready.js <task> [arguments]`, used by `npm start` and `npm test`. It must
// run on Node 18 and newer before anything is installed, so it and its imports use built-in modules only.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitLike } from '../bin/child.js';
import { ensureBuild } from './ready/build.js';
import { ensureDependencies } from './ready/dependencies.js';
import { withLock } from './ready/lock.js';
import { ensureNode } from './ready/node.js';
import { printStatus, SetupError, StoppedBySignal } from './ready/run-step.js';
import { stopWithNpm } from './ready/stop-with-parent.js';
import { findTask } from './ready/tasks.js';
import { isFullTestRun, summaryLine } from './ready/test.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name, ...rest] = process.argv.slice(2);
const args = rest[0] === '--' ? rest.slice(1) : rest;

stopWithNpm();
try {
  const task = findTask(name, root);
  const node = await prepare();
  exitLike(await task({ root, node, args }));
} catch (error) {
  exitWithError(error);
}

/** Holds a lock, because two installs or builds in one folder break each other. */
async function prepare() {
  const folder = join(root, '.node');
  mkdirSync(folder, { recursive: true });
  return withLock(join(folder, 'lock'), async () => {
    const node = await ensureNode(root);
    await ensureDependencies({ root, node });
    await ensureBuild({ root, node });
    return node;
  });
}

function exitWithError(error) {
  if (error instanceof StoppedBySignal) {
    exitLike({ signal: error.signal });
    return;
  }
  if (!(error instanceof SetupError)) throw error;
  printStatus(error.message);
  if (isFullTestRun(name, args)) console.log(summaryLine({ passed: 0, failed: 1, skipped: 0 }));
  process.exitCode = 1;
}
