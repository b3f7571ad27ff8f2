#!/usr/bin/env node
// Run this after a change of dependencies if the registry holds packages of one platform only. npm then omits the packages of other
// platforms from package-lock.json, and `npm ci` refuses the file on every platform.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = findMissingPackages(lock.packages);
lock.packages = sortPackages({ ...lock.packages, ...missing });
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`Added ${Object.keys(missing).length} packages of other platforms to package-lock.json.`);

function findMissingPackages(packages) {
  const found = {};
  for (const [parentPath, parent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      if (!isPresent(packages, parentPath, name))
        found[`node_modules/${name}`] = entryFor(name, version, parent);
    }
  }
  return found;
}

function isPresent(packages, parentPath, name) {
  return `${parentPath}/node_modules/${name}` in packages || `node_modules/${name}` in packages;
}

// The registry cannot be queried, so the platform is read from the name. Without it npm would install the package everywhere.
function entryFor(name, version, parent) {
  const words = name.split(/[-/]/);
  const system = systems.find((word) => words.includes(word));
  const processor = processors.find((word) => words.includes(word));
  if (!processor || !/^\d+\.\d+\.\d+/.test(version))
    throw new Error(`cannot read the platform or the exact version of ${name}@${version}`);
  const libc = system === 'linux' ? libcOf(words) : undefined;
  return {
    version,
    cpu: [processor],
    ...(parent.dev && { dev: true }),
    ...(libc && { libc: [libc] }),
    optional: true,
    ...(system && { os: [system] }),
  };
}

function libcOf(words) {
  if (words.includes('musl')) return 'musl';
  return words.some((word) => word.startsWith('gnu')) ? 'glibc' : undefined;
}

function sortPackages(packages) {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
}
