import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly, say } from './run-step.js';
import { toolScript } from './tool-script.js';

const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts'];

export async function ensureBuild({ root, node }) {
  if (buildIsCurrent(root)) return;
  say('Building …');
  await runQuietly(node, [toolScript(root, 'tsdown'), '--log-level=warn'], {
    cwd: root,
    whatToDo: () => 'The build failed: see above.',
  });
  markBuildCurrent(root);
}

export function buildIsCurrent(root) {
  return existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === stampOf(root);
}

export function markBuildCurrent(root) {
  writeFileSync(stampFile(root), stampOf(root));
}

// Inside dist/, because a build by hand clears that folder and the stamp with it.
function stampFile(root) {
  return join(root, 'dist', '.built-from');
}

// By content and not by time: a checkout or a branch switch makes every file look new.
function stampOf(root) {
  const hash = createHash('sha256');
  for (const path of [...settings, ...sourcesIn(root, 'src')]) {
    if (existsSync(join(root, path)))
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(root, path)))
        .update('\0');
  }
  return `${hash.digest('hex')}\n`;
}

function sourcesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? sourcesIn(root, path) : path.endsWith('.test.ts') ? [] : [path];
    });
}
