import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './npm.js';
import { say } from './run-step.js';

export async function ensureDependencies({ root, node }) {
  if (dependenciesAreCurrent(root)) return;
  say('Installing dependencies … (once)');
  rmSync(stampFile(root), { force: true });
  // The tasks need the development tools also where NODE_ENV says production.
  await runNpm(node, ['ci', '--include=dev'], {
    cwd: root,
    whatToDo: adviseOn,
  });
  markDependenciesCurrent(root);
}

function adviseOn(output) {
  return /\bEUSAGE\b/.test(output)
    ? 'package-lock.json does not hold all that package.json asks for: run `npm install` and ' +
        '`node scripts/complete-lock.js`, and commit the result.'
    : 'The dependencies could not be installed. Check that npm can reach its registry and run the same command again.';
}

export function dependenciesAreCurrent(root) {
  return (
    existsSync(stampFile(root)) &&
    readFileSync(stampFile(root), 'utf8') === stampOf(root) &&
    everyPackageIsThere(root)
  );
}

/** Written after an install that succeeded, so that one cut short is done again. */
export function markDependenciesCurrent(root) {
  writeFileSync(stampFile(root), stampOf(root));
}

function stampFile(root) {
  return join(root, 'node_modules', '.installed-from');
}

// With the platform, because some packages hold binaries of one platform only.
function stampOf(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

function everyPackageIsThere(root) {
  const list = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  const { packages } = JSON.parse(readFileSync(list, 'utf8'));
  return Object.keys(packages).every((path) => existsSync(join(root, path, 'package.json')));
}
