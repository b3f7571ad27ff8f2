import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The script behind a package's command, to be run by a Node of our choice; node_modules/.bin holds shell files on Windows. */
export function toolScript(root, packageName, command = packageName) {
  const folder = join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, bin[command]);
}
