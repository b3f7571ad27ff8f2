import { existsSync } from 'node:fs';
import { neededNode } from './node-version.js';

export function adviseNewerNode() {
  const advice = isCheckout()
    ? 'Run `npm start` once: it fetches a newer Node into this checkout, and this command then uses that one.'
    : 'Install a newer Node, or run: npx -p node@24 -p toolgate toolgate';
  refuse(`Toolgate needs Node ${neededNode} or newer; this is ${process.versions.node}. ${advice}`);
}

/** An error from inside a complete build is not about the build: it goes on as it is. */
export function adviseBuild(error) {
  if (existsSync(new URL('../dist/main.js', import.meta.url))) throw error;
  refuse(
    isCheckout()
      ? 'Toolgate is not built yet: run `npm start` or `npm test` once.'
      : 'This installation of Toolgate is incomplete: install the package again.',
  );
}

// The published package leaves scripts/ out.
function isCheckout() {
  return existsSync(new URL('../scripts/ready.js', import.meta.url));
}

function refuse(message) {
  console.error(message);
  process.exitCode = 1;
}
