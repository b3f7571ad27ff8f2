import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The script of a package's command, to be run by a given Node; node_modules/.bin holds shell files on Windows. */
export function toolScript(root, packageName, command = packageName) {
  const folder = join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, bin[command]);
}
