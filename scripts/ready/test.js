import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../../bin/child.js';
import { printStatus } from './run-step.js';
import { toolScript } from './tool-script.js';

const countingReporter = './scripts/ready/counting-reporter.js';

/** Arguments select tests and go to vitest alone. Without arguments, every check runs and the summary line comes last. */
export function test({ root, node, args }) {
  const run = (script, ...more) => runChild(node, [script, ...more], { cwd: root });
  return args.length === 0 ? fullRun(root, run) : run(toolScript(root, 'vitest'), 'run', ...args);
}

export function isFullTestRun(name, args) {
  return name === 'test' && args.length === 0;
}

export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

async function fullRun(root, run) {
  const checks = [
    ['Type check', () => run(toolScript(root, 'typescript', 'tsc'), '--noEmit')],
    ['Lint', () => run(toolScript(root, '@biomejs/biome', 'biome'), 'check', '.')],
  ];
  for (const [title, check] of checks) {
    const outcome = await check();
    if (succeeded(outcome)) continue;
    if (!outcome.stoppedBy) printStatus(`${title} failed. The tests were not run.`);
    return printSummary(outcome, { passed: 0, failed: 1, skipped: 0 });
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
      `--reporter=${countingReporter}`,
      `--outputFile=${file}`,
    );
    return printSummary(outcome, countsOf(file, outcome));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A failed run reports at least one failure, even if vitest ended before it counted any. */
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

function printSummary(outcome, counts) {
  if (!outcome.stoppedBy) console.log(summaryLine(counts));
  return outcome;
}

function succeeded({ code }) {
  return code === 0;
}
