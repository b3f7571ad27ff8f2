import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './npm.js';
import { printStatus } from './run-step.js';

export async function ensureDependencies({ root, node }) {
  if (dependenciesAreCurrent(root)) return;
  printStatus('Installing dependencies … (once)');
  rmSync(stampFile(root), { force: true });
  // The tasks need the development tools even if NODE_ENV is production.
  await runNpm(node, ['ci', '--include=dev'], {
    cwd: root,
    adviceFor,
  });
  markDependenciesCurrent(root);
}

function adviceFor(output) {
  return /\bEUSAGE\b/.test(output)
    ? 'package-lock.json does not match package.json. Run `npm install` and `node scripts/complete-lock.js`, ' +
        'then commit the result.'
    : 'The dependencies could not be installed. Check that npm can reach its registry, then run the same command again.';
}

export function dependenciesAreCurrent(root) {
  return (
    existsSync(stampFile(root)) &&
    readFileSync(stampFile(root), 'utf8') === stampOf(root) &&
    hasEveryPackage(root)
  );
}

/** Called only after a successful install, so that an interrupted one is repeated. */
export function markDependenciesCurrent(root) {
  writeFileSync(stampFile(root), stampOf(root));
}

function stampFile(root) {
  return join(root, 'node_modules', '.installed-from');
}

// Includes the platform, because some packages contain binaries of one platform only.
function stampOf(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

function hasEveryPackage(root) {
  const list = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  const { packages } = JSON.parse(readFileSync(list, 'utf8'));
  return Object.keys(packages).every((path) => existsSync(join(root, path, 'package.json')));
}
