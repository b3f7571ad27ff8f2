import { existsSync } from 'node:fs';
import { minimumNode } from './node-version.js';

export function reportOldNode() {
  const advice = isCheckout()
    ? 'Run `npm start` once: it fetches a newer Node into this checkout, and this command then uses it.'
    : 'Install a newer Node, or run: npx -p node@24 -p toolgate toolgate';
  fail(`Toolgate needs Node ${minimumNode} or newer, and this is Node ${process.versions.node}. ${advice}`);
}

/** Rethrows an error of a complete build, because a missing build is not its cause. */
export function reportMissingBuild(error) {
  if (existsSync(new URL('../dist/main.js', import.meta.url))) throw error;
  fail(
    isCheckout()
      ? 'Toolgate is not built yet. Run `npm start` or `npm test` once.'
      : 'This installation of Toolgate is incomplete. Reinstall the package.',
  );
}

// The published package does not contain scripts/.
function isCheckout() {
  return existsSync(new URL('../scripts/ready.js', import.meta.url));
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
