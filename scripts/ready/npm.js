import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { runQuietly, SetupError } from './run-step.js';

/**
 * Runs npm's script with the given Node: the `npm` command would use the installed Node, and on Windows it is a shell file. The
 * settings are on the command line, because an outer npm passes its own settings on (`npm test --silent`).
 */
export async function runNpm(node, args, { cwd, adviceFor }) {
  await runQuietly(
    node,
    [npmScript(), ...args, '--loglevel=error', '--no-progress', '--no-audit', '--no-fund'],
    {
      cwd,
      adviceFor,
    },
  );
}

function npmScript() {
  const found = candidates().find((path) => basename(path) === 'npm-cli.js' && existsSync(path));
  if (!found)
    throw new SetupError(
      'npm was not found beside this Node or on the PATH. Install npm, then run the same command again.',
    );
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
