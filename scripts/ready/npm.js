import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { Problem, runQuietly } from './run-step.js';

/**
 * Runs npm's own script with a Node of our choice: the `npm` command would take the Node at hand, and on Windows it is a shell
 * file. Settings on the command line, because the npm around us hands its own down (`npm test --silent`).
 */
export async function runNpm(node, args, { cwd, whatToDo }) {
  await runQuietly(
    node,
    [npmScript(), ...args, '--loglevel=error', '--no-progress', '--no-audit', '--no-fund'],
    {
      cwd,
      whatToDo,
    },
  );
}

function npmScript() {
  const found = candidates().find((path) => basename(path) === 'npm-cli.js' && existsSync(path));
  if (!found)
    throw new Problem('npm was not found beside this Node or on the PATH: install it and run this again.');
  return found;
}

function candidates() {
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)];
  return [process.env.npm_execpath ?? '', ...folders.flatMap(npmScriptsNear)];
}

function npmScriptsNear(folder) {
  const inPackage = join('node_modules', 'npm', 'bin', 'npm-cli.js');
  return [join(folder, inPackage), join(folder, '..', 'lib', inPackage), linkTarget(join(folder, 'npm'))];
}

function linkTarget(path) {
  return existsSync(path) ? realpathSync(path) : path;
}
