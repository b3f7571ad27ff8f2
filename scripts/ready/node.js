import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fetchedNode, fetchedNodeFolder, nodeInside } from '../../bin/fetched-node.js';
import { isNewEnough, neededNode } from '../../bin/node-version.js';
import { runNpm } from './npm.js';
import { Problem, say } from './run-step.js';

// The highest match wins, so 22 is taken only on a platform that has no such 24. The build tool refuses 24.0 to 24.10.
const wantedVersions = '^24.11 || ^22.19';
const unfinished = 'fetching-';

/** The Node to go on with: the one at hand when it is new enough, else one of the checkout's own, fetched once. */
export async function ensureNode(root) {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const node = fetchedNode(root) ?? (await fetchNode(root));
  putBeforeOtherNodes(node);
  return node;
}

/** The script-free package that holds Node for a platform. The plain name was taken for Macs with Apple's processors. */
export function nodePackage(platform, arch) {
  const system = platform === 'win32' ? 'win' : platform;
  const processor = system === 'win' && arch === 'ia32' ? 'x86' : arch;
  const prefix = system === 'darwin' && processor === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${processor}`;
}

async function fetchNode(root) {
  say(
    `Fetching Node 24 into .node/ (this is ${process.versions.node}, Toolgate needs ${neededNode}) … (once)`,
  );
  removeUnfinished(root);
  const staging = mkdtempSync(join(root, '.node', unfinished));
  try {
    const packageFolder = await installNode(root, staging);
    proveThatItRuns(nodeInside(packageFolder));
    // In one move at the very end: whatever lies in the final place is complete.
    rmSync(fetchedNodeFolder(root), { recursive: true, force: true });
    renameSync(packageFolder, fetchedNodeFolder(root));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return nodeInside(fetchedNodeFolder(root));
}

// The caller holds the lock, so no other run is fetching; only the npm of a killed one may still be writing for a moment.
function removeUnfinished(root) {
  const folder = join(root, '.node');
  for (const entry of readdirSync(folder).filter((name) => name.startsWith(unfinished))) {
    rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

async function installNode(root, staging) {
  const name = nodePackage(process.platform, process.arch);
  // A project of its own, so that npm leaves the checkout alone; with the checkout's npm settings.
  writeFileSync(join(staging, 'package.json'), '{ "private": true }\n');
  copyFileSync(join(root, '.npmrc'), join(staging, '.npmrc'));
  const spec = `${name}@${wantedVersions}`;
  await runNpm(process.execPath, ['install', '--no-save', '--no-package-lock', '--ignore-scripts', spec], {
    cwd: staging,
    whatToDo: (output) =>
      /\b(E404|ETARGET|EBADPLATFORM)\b/.test(output)
        ? `No Node to fetch for ${process.platform}-${process.arch}. ${installItYourself}`
        : 'Node could not be fetched. Check that npm can reach its registry and run the same command again, ' +
          `or install Node ${neededNode} or newer yourself.`,
  });
  return join(staging, 'node_modules', name);
}

const installItYourself = `Install Node ${neededNode} or newer yourself, then run the same command again.`;

// Says so early where the packaged build cannot run at all, as on a Linux without glibc.
function proveThatItRuns(node) {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status === 0 && isNewEnough(stdout.trim().replace(/^v/, ''))) return;
  throw new Problem(`The fetched Node does not run on this system. ${installItYourself}`);
}

/** Programs started by name, or through what npm put into the environment, get the same Node. */
function putBeforeOtherNodes(node) {
  process.env.PATH = [dirname(node), process.env.PATH].join(delimiter);
  process.env.NODE = node;
  process.env.npm_node_execpath = node;
}
