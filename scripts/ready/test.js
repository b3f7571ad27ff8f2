import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../../bin/child.js';
import { say } from './run-step.js';
import { toolScript } from './tool-script.js';

const counter = './scripts/ready/counting-reporter.js';

/** Arguments choose tests, so they go to vitest alone; without any it is the whole run, which ends with the closing line. */
export function test({ root, node, args }) {
  const run = (script, ...more) => runChild(node, [script, ...more], { cwd: root });
  return args.length === 0 ? wholeRun(root, run) : run(toolScript(root, 'vitest'), 'run', ...args);
}

export function isWholeTestRun(name, args) {
  return name === 'test' && args.length === 0;
}

export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

async function wholeRun(root, run) {
  const checks = [
    ['Type check', () => run(toolScript(root, 'typescript', 'tsc'), '--noEmit')],
    ['Lint', () => run(toolScript(root, '@biomejs/biome', 'biome'), 'check', '.')],
  ];
  for (const [title, check] of checks) {
    const outcome = await check();
    if (succeeded(outcome)) continue;
    if (!outcome.stoppedBy) say(`${title} failed; the tests were not run.`);
    return close(outcome, { passed: 0, failed: 1, skipped: 0 });
  }
  return countedRun(toolScript(root, 'vitest'), run);
}

async function countedRun(vitest, run) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-test-'));
  const file = join(folder, 'counts.json');
  try {
    const outcome = await run(
      vitest,
      'run',
      '--reporter=default',
      `--reporter=${counter}`,
      `--outputFile=${file}`,
    );
    return close(outcome, countsOf(file, outcome));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A run that failed never says that nothing did, also when vitest ended before it could count. */
function countsOf(file, outcome) {
  const counts = readCounts(file) ?? { passed: 0, failed: 0, skipped: 0 };
  return succeeded(outcome) ? counts : { ...counts, failed: Math.max(counts.failed, 1) };
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function close(outcome, counts) {
  if (!outcome.stoppedBy) console.log(closingLine(counts));
  return outcome;
}

function succeeded({ code }) {
  return code === 0;
}
