#!/usr/bin/env node
import { isNewEnough } from './node-version.js';

// Loaded only after the check, because an older Node may fail on it with an unclear error.
if (isNewEnough(process.versions.node)) {
  await import('../dist/main.js').catch(async (error) => {
    const { reportMissingBuild } = await import('./messages.js');
    reportMissingBuild(error);
  });
} else {
  const { runOnNewerNode } = await import('./run-on-newer-node.js');
  await runOnNewerNode();
}
