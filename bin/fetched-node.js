import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNewEnough } from './node-version.js';

/** One folder per platform, because a checkout may be mounted into a container of another system. */
export function fetchedNodeFolder(root) {
  return join(root, '.node', `${process.platform}-${process.arch}`);
}

export function nodeExecutable(packageFolder) {
  return join(packageFolder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** Finds the Node that `npm start` or `npm test` fetched into the checkout, if it is still new enough. */
export function findFetchedNode(root) {
  const folder = fetchedNodeFolder(root);
  const node = nodeExecutable(folder);
  return existsSync(node) && isNewEnough(readVersion(folder)) ? node : undefined;
}

function readVersion(packageFolder) {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;
}
