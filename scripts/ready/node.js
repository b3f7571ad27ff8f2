import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fetchedNodeFolder, findFetchedNode, nodeExecutable } from '../../bin/fetched-node.js';
import { isNewEnough, minimumNode } from '../../bin/node-version.js';
import { runNpm } from './npm.js';
import { printStatus, SetupError } from './run-step.js';

// npm takes the highest match, so 22 is used only on a platform without a matching 24. The build tool refuses 24.0 to 24.10.
const wantedVersions = '^24.11 || ^22.19';
const stagingPrefix = 'fetching-';

/** Returns the running Node if it is new enough, else a Node that is fetched into the checkout once. */
export async function ensureNode(root) {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const node = findFetchedNode(root) ?? (await fetchNode(root));
  putFirstOnPath(node);
  return node;
}

/** The npm package that contains Node for a platform and runs no scripts. On Macs with Apple silicon the usual name was taken. */
export function nodePackage(platform, arch) {
  const system = platform === 'win32' ? 'win' : platform;
  const processor = system === 'win' && arch === 'ia32' ? 'x86' : arch;
  const prefix = system === 'darwin' && processor === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${processor}`;
}

async function fetchNode(root) {
  printStatus(
    `Fetching Node 24 into .node/, because this is Node ${process.versions.node} and Toolgate needs ${minimumNode} or newer … (once)`,
  );
  removeStaging(root);
  const staging = mkdtempSync(join(root, '.node', stagingPrefix));
  try {
    const packageFolder = await installNode(root, staging);
    checkThatItRuns(nodeExecutable(packageFolder));
    // Renamed as the last step, so that the final folder is always complete.
    rmSync(fetchedNodeFolder(root), { recursive: true, force: true });
    renameSync(packageFolder, fetchedNodeFolder(root));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return nodeExecutable(fetchedNodeFolder(root));
}

// The caller holds the lock, so no other run is fetching. The npm of a killed run may still write for a moment, hence the retries.
function removeStaging(root) {
  const folder = join(root, '.node');
  for (const entry of readdirSync(folder).filter((name) => name.startsWith(stagingPrefix))) {
    rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

async function installNode(root, staging) {
  const name = nodePackage(process.platform, process.arch);
  // A separate project, so that npm does not change the checkout, with the npm settings of the checkout.
  writeFileSync(join(staging, 'package.json'), '{ "private": true }\n');
  copyFileSync(join(root, '.npmrc'), join(staging, '.npmrc'));
  const spec = `${name}@${wantedVersions}`;
  await runNpm(process.execPath, ['install', '--no-save', '--no-package-lock', '--ignore-scripts', spec], {
    cwd: staging,
    adviceFor: (output) =>
      /\b(E404|ETARGET|EBADPLATFORM)\b/.test(output)
        ? `There is no Node to fetch for ${process.platform}-${process.arch}. ${installYourself}`
        : 'Node could not be fetched. Check that npm can reach its registry, then run the same command again; ' +
          `or install Node ${minimumNode} or newer yourself.`,
  });
  return join(staging, 'node_modules', name);
}

const installYourself = `Install Node ${minimumNode} or newer yourself, then run the same command again.`;

// Reports early that the packaged build cannot run here, for example on a Linux without glibc.
function checkThatItRuns(node) {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status === 0 && isNewEnough(stdout.trim().replace(/^v/, ''))) return;
  throw new SetupError(`The fetched Node does not run on this system. ${installYourself}`);
}

/** Programs that are started by name, or by npm's environment variables, then run on the same Node. */
function putFirstOnPath(node) {
  process.env.PATH = [dirname(node), process.env.PATH].join(delimiter);
  process.env.NODE = node;
  process.env.npm_node_execpath = node;
}
