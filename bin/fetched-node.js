import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNewEnough } from './node-version.js';

/** Named by platform, because one checkout may be mounted into a container of another system. */
export function fetchedNodeFolder(root) {
  return join(root, '.node', `${process.platform}-${process.arch}`);
}

export function nodeInside(packageFolder) {
  return join(packageFolder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** The Node that `npm start` or `npm test` fetched into the checkout, when it is there and still new enough. */
export function fetchedNode(root) {
  const folder = fetchedNodeFolder(root);
  const node = nodeInside(folder);
  return existsSync(node) && isNewEnough(versionIn(folder)) ? node : undefined;
}

function versionIn(packageFolder) {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;
}
