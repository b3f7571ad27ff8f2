import { fileURLToPath } from 'node:url';
import { exitLike, runChild } from './child.js';
import { findFetchedNode } from './fetched-node.js';
import { reportOldNode } from './messages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = fileURLToPath(new URL('toolgate.js', import.meta.url));

/** Runs the command with the Node that was fetched into the checkout, or explains how to get a newer Node. */
export async function runOnNewerNode() {
  const node = findFetchedNode(root);
  if (node) exitLike(await runChild(node, [command, ...process.argv.slice(2)]));
  else reportOldNode();
}
