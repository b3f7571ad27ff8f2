import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printStatus, runQuietly } from './run-step.js';
import { toolScript } from './tool-script.js';

const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts'];

export async function ensureBuild({ root, node }) {
  if (buildIsCurrent(root)) return;
  printStatus('Building …');
  await runQuietly(node, [toolScript(root, 'tsdown'), '--log-level=warn'], {
    cwd: root,
    adviceFor: () => 'The build failed. Correct the errors above, then run the same command again.',
  });
  markBuildCurrent(root);
}

export function buildIsCurrent(root) {
  return existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === stampOf(root);
}

export function markBuildCurrent(root) {
  writeFileSync(stampFile(root), stampOf(root));
}

// Inside dist/, because a manual build clears that folder and the stamp with it.
function stampFile(root) {
  return join(root, 'dist', '.built-from');
}

// A hash of the content, because a checkout or a branch switch changes the time of every file.
function stampOf(root) {
  const hash = createHash('sha256');
  for (const path of [...settings, ...listSources(root, 'src')]) {
    if (existsSync(join(root, path)))
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(root, path)))
        .update('\0');
  }
  return `${hash.digest('hex')}\n`;
}

function listSources(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? listSources(root, path) : path.endsWith('.test.ts') ? [] : [path];
    });
}
