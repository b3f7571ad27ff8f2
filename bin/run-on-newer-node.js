import { fileURLToPath } from 'node:url';
import { endLike, runChild } from './child.js';
import { fetchedNode } from './fetched-node.js';
import { adviseNewerNode } from './messages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = fileURLToPath(new URL('toolgate.js', import.meta.url));

/** Goes on with the Node that the checkout fetched for itself, or says how to get a newer one. */
export async function runOnNewerNode() {
  const node = fetchedNode(root);
  if (node) endLike(await runChild(node, [command, ...process.argv.slice(2)]));
  else adviseNewerNode();
}
