import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { configPage, errorsPage, pagesWithFiles, withFiles } from '../scripts/reference-docs.ts';
import { loadConfig } from '../src/app/config/load.ts';
import { PRODUCT } from '../src/contract/product.ts';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const run = promisify(execFile);

const blocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1]!,
  );

describe('documentation pages', () => {
  it.each([
    ['errors.md', errorsPage],
    ['configuration.md', configPage],
  ])('docs/reference/%s is up to date (run node scripts/reference-docs.ts)', (page, render) => {
    expect(readFileSync(join(root, 'docs', 'reference', page), 'utf8')).toBe(render());
  });

  it.each(pagesWithFiles().map((page) => [page.slice(root.length + 1)]))(
    '%s shows the current content of the files it includes',
    (page) => {
      const text = readFileSync(join(root, page), 'utf8');
      expect(text).toBe(withFiles(text));
    },
  );

  it.each(
    [
      ...pagesWithFiles(),
      ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((page) =>
        join(root, page),
      ),
    ].map((page) => [page.slice(root.length + 1)]),
  )('%s has no broken link', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!);
    const missing = links.filter((link) => !existsSync(resolve(root, dirname(page), link)));
    expect(missing).toEqual([]);
  });
});

describe('the package', () => {
  it('has the same name and version as the code', () => {
    expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toMatchObject(PRODUCT);
  });
});

describe('README', () => {
  it('names exactly two commands, and both are npm scripts', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const commands = blocks(readme, 'sh').flatMap((block) => block.trim().split('\n'));
    expect(commands.map((line) => line.split(/\s+#/)[0]!.trim())).toEqual(['npm start', 'npm test']);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
  });

  const examples = blocks(readme, 'console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const [command, ...output] = example.trimEnd().split('\n');
        return { command: command!, output };
      }),
  );

  it('has at least five commands with their output', () => {
    expect(examples.length).toBeGreaterThanOrEqual(5);
  });

  it.each(examples)('shows the real output of: $command', async ({ command, output }) => {
    const { stdout, stderr } = await run('sh', ['-c', `${command} || true`], { cwd: root });
    const printed = [...stdout.trimEnd().split('\n'), ...stderr.trimEnd().split('\n')].filter(
      (line) => line !== '' && !line.startsWith('npm warn'),
    );
    // A leading ellipsis replaces lines that differ between machines.
    const shown = output[0] === '…' ? printed.slice(-(output.length - 1)) : printed;
    expect(shown).toEqual(output.filter((line) => line !== '…'));
  });

  it.each(blocks(readme, 'yaml'))('has a config that can be loaded: %#', (snippet) => {
    const { upstreams } = loadConfig({ settings: parseYaml(snippet) });
    expect(upstreams.length).toBeGreaterThan(0);
  });

  it.each(blocks(readme, 'json'))('has a client config that can be loaded: %#', (snippet) => {
    const { upstreams } = loadConfig({ settings: JSON.parse(snippet) });
    expect(upstreams.map(({ namespace }) => namespace)).toEqual(['toolgate']);
  });
});

describe('examples', () => {
  it('native-tool runs and its assertions hold', async () => {
    const { stdout } = await run(process.execPath, ['examples/native-tool/run.ts'], { cwd: root });
    expect(stdout).toContain('Europe/Paris');
  });

  it('the demo of npm start serves an MCP client, prints the text of the README, and stops on Ctrl-C', async () => {
    const demo = spawn(process.execPath, ['examples/demo/start.ts'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    const ready = new Promise<void>((done, fail) => {
      demo.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes('Press Ctrl-C to stop.')) done();
      });
      demo.once('exit', (code) => fail(new Error(`the demo exited with ${code}: ${printed}`)));
    });
    const exited = new Promise<number | null>((done) => {
      demo.once('exit', done);
    });
    try {
      await ready;
      const url = /^MCP endpoint +(\S+)$/m.exec(printed)![1]!;
      const client = new Client(
        { name: 'docs-test', version: '1.0.0' },
        { versionNegotiation: { mode: 'auto' } },
      );
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['tool_browse', 'tool_execute', 'tool_view']);
      const answer = await client.callTool({
        name: 'tool_execute',
        arguments: { tool_id: '/clock/world_time', args: { zone: 'Asia/Tokyo' } },
      });
      expect(answer.structuredContent).toMatchObject({ zone: 'Asia/Tokyo' });
      await client.close();

      const documented = blocks(readme, 'text').find((block) => block.includes('MCP endpoint'))!;
      const withoutPort = (text: string): string => text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1');
      expect(withoutPort(printed)).toContain(withoutPort(documented.trimEnd()));
    } finally {
      demo.kill('SIGINT');
    }
    expect(await exited).toBe(0);
  });
});
