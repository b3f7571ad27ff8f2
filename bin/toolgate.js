#!/usr/bin/env node
import { isNewEnough } from './node-version.js';

// The rest is loaded after the check, because an older Node may fail on it with an error that explains nothing.
if (isNewEnough(process.versions.node)) {
  await import('../dist/main.js').catch(async (error) => {
    const { adviseBuild } = await import('./messages.js');
    adviseBuild(error);
  });
} else {
  const { runOnNewerNode } = await import('./run-on-newer-node.js');
  await runOnNewerNode();
}
