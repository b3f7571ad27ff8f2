#!/usr/bin/env node
// All the set-up a fresh machine needs before a task: `node scripts/ready.js <task> [arguments]`, behind `npm start` and
// `npm test`. Starts on any Node from 18 on, before anything is installed: built-ins only, here and in what it imports.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endLike } from '../bin/child.js';
import { ensureBuild } from './ready/build.js';
import { ensureDependencies } from './ready/dependencies.js';
import { withLock } from './ready/lock.js';
import { ensureNode } from './ready/node.js';
import { Problem, Stopped, say } from './ready/run-step.js';
import { stopWhenNpmIsGone } from './ready/stop-with-parent.js';
import { taskNamed } from './ready/tasks.js';
import { closingLine, isWholeTestRun } from './ready/test.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name, ...rest] = process.argv.slice(2);
const args = rest[0] === '--' ? rest.slice(1) : rest;

stopWhenNpmIsGone();
try {
  const task = taskNamed(name, root);
  const node = await makeReady();
  endLike(await task({ root, node, args }));
} catch (error) {
  endWith(error);
}

/** One run at a time, because two installs or builds in one folder break each other. */
async function makeReady() {
  const folder = join(root, '.node');
  mkdirSync(folder, { recursive: true });
  return withLock(join(folder, 'lock'), async () => {
    const node = await ensureNode(root);
    await ensureDependencies({ root, node });
    await ensureBuild({ root, node });
    return node;
  });
}

function endWith(error) {
  if (error instanceof Stopped) {
    endLike({ signal: error.signal });
    return;
  }
  if (!(error instanceof Problem)) throw error;
  say(error.message);
  if (isWholeTestRun(name, args)) console.log(closingLine({ passed: 0, failed: 1, skipped: 0 }));
  process.exitCode = 1;
}
