import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { EVERYTHING, type Machine, machineWith, type Run } from '../../test/cli.ts';
import { listReceipts } from '../../test/receipts.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { EXIT } from './exit-codes.ts';

// One test starts several processes in sequence.
vi.setConfig({ testTimeout: 240_000 });

function machine(more: object = {}): Machine {
  return machineWith({ 'toolgate.json': { upstreams: { everything: EVERYTHING }, ...more } });
}

/** Parses the JSON document on standard output, which must be alone there; standard error must be empty. */
function parseOutput({ stdout, stderr }: Run): ReturnType<typeof JSON.parse> {
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function receiptsOf({ home }: Machine): Promise<readonly Receipt[]> {
  const stores = await openSqliteStores({ file: join(home, 'state', 'toolgate.sqlite') });
  try {
    return await listReceipts(stores.receipts, { limit: 10 });
  } finally {
    await stores.close();
  }
}

describe('toolgate browse --explain', () => {
  it('shows how each score is composed', async () => {
    const here = machine();
    const plain = await here.run(['browse', 'echo a message', '--explain']);
    expect(plain.code).toBe(EXIT.ok);
    expect(plain.stdout).toMatch(
      /^everything:echo#[0-9a-f]{8}\(message\): .+\n {4}[\d.]+ = words [\d.]+ \(echo, message\) \+ meaning [\d.]+/,
    );
    const { cards, explanations } = parseOutput(
      await here.run(['browse', 'echo a message', '--explain', '--json']),
    );
    expect(Object.keys(explanations)).toEqual(cards.map(({ id }: { id: string }) => id));
    expect(explanations[cards[0].id].score).toBe(cards[0].score);
  });
});

describe('toolgate examples', () => {
  it('lists and clears usage examples without starting any upstream', async () => {
    const here = machineWith({ 'toolgate.json': { upstreams: { broken: { command: 'no-such-program' } } } });
    expect((await here.run(['examples', 'list'])).stdout).toMatch(/^No usage examples\./);
    const stores = await openSqliteStores({ file: join(here.home, 'state', 'toolgate.sqlite') });
    await stores.usage.record('["a"]', { tool: 'x:y', request: 'do y' });
    await stores.usage.record('["b"]', { tool: 'x:z', request: 'do z' });
    await stores.close();
    expect((await here.run(['examples', 'list'])).stdout).toMatch(
      /^\["a"\] {2}1 usage example, snapshot [0-9a-f]{16}\n {2}x:y {2}"do y"\n/,
    );
    expect(parseOutput(await here.run(['examples', 'list', '--json', '--owner', '["b"]']))).toMatchObject([
      { owner: '["b"]', pairs: [{ tool: 'x:z', request: 'do z', times: 1 }] },
    ]);
    expect(parseOutput(await here.run(['examples', 'clear', '--json', '--owner', '["a"]']))).toEqual({
      cleared: 1,
    });
    expect((await here.run(['examples', 'clear'])).stdout).toMatch(/^Deleted 1 usage example\./);
    expect(parseOutput(await here.run(['examples', 'list', '--json']))).toEqual([]);
  });
});

describe('toolgate call', () => {
  it('prints the result, and with --json the whole outcome', async () => {
    const here = machine();
    const plain = await here.run(['call', '/everything/echo', '{"message":"hi"}']);
    expect(plain).toMatchObject({ code: EXIT.ok, stdout: 'Echo: hi\n', stderr: '' });
    const json = await here.run(['call', '/everything/echo', '{"message":"hi"}', '--json', '--key', 'k']);
    expect(json.code).toBe(EXIT.ok);
    expect(parseOutput(json)).toMatchObject({
      status: 'ok',
      view: { content: [{ type: 'text', text: 'Echo: hi' }] },
      provenance: { upstream: 'everything' },
    });
    expect(await receiptsOf(here)).toMatchObject([
      { surface: 'cli', status: 'ok', requested: '/everything/echo', idempotencyKey: 'k' },
      { surface: 'cli', status: 'ok', idempotencyKey: null },
    ]);
  });

  it('reads the arguments from standard input', async () => {
    const { code, stdout } = await machine().run(
      ['call', '/everything/echo', '-'],
      '{"message":"from stdin"}\n',
    );
    expect(code).toBe(EXIT.ok);
    expect(stdout).toBe('Echo: from stdin\n');
  });

  it('reports the failure and the next step, and logs nothing', async () => {
    const here = machine();
    const wrong = await here.run(['call', '/everything/get-sum', '{"a":"x"}']);
    expect(wrong).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(wrong.stderr).toMatch(/^INVALID_INPUT: .+\n\{\n {2}"errors"/);
    expect(wrong.stderr).toContain('"signature": "get-sum(a: number, b: number)"');
    expect(wrong.stderr).toMatch(/\n\}\nCorrect the arguments that the details list, .+\n$/);
    expect(wrong.stderr).not.toMatch(/"level"|\n\s+at /);
    const json = await here.run(['call', '/everything/get-sum', '{"a":"x"}', '--json']);
    expect(json.code).toBe(EXIT.refused);
    expect(parseOutput(json)).toMatchObject({ status: 'failed', error: { code: 'INVALID_INPUT' } });
    const unknown = await here.run(['call', '/everything/nothing']);
    expect(unknown).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(unknown.stderr).toMatch(/^TOOL_NOT_FOUND: No such tool\./);
    expect((await receiptsOf(here)).map(({ errorCode }) => errorCode)).toEqual([
      'TOOL_NOT_FOUND',
      'INVALID_INPUT',
      'INVALID_INPUT',
    ]);
  });

  it('logs if the config sets a log level, without the stack of a refused call', async () => {
    const here = machine({ log: { level: 'info' } });
    const { code, stdout, stderr } = await here.run(['call', '/everything/get-sum', '{}', '--json']);
    expect(code).toBe(EXIT.refused);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed' });
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find(({ msg }) => msg === 'call failed')).toMatchObject({ errorCode: 'INVALID_INPUT' });
    expect(stderr).not.toContain('"stack"');
  });

  it('reports why the upstream of a missing tool is not ready', async () => {
    const here = machineWith({
      'toolgate.json': { upstreams: { broken: { command: 'toolgate-no-such-command' } } },
    });
    const { code, stderr } = await here.run(['call', '/broken/echo']);
    expect(code).toBe(EXIT.refused);
    expect(stderr).toMatch(/TOOL_NOT_FOUND: .+\n.+\n {2}✗ broken {2}\w+: .*toolgate-no-such-command/);
  });

  it('makes a dry run, and without arguments shows the schema', async () => {
    const here = machine();
    const schema = await here.run(['call', '/everything/get-sum', '--dry-run']);
    expect(schema.code).toBe(EXIT.ok);
    expect(parseOutput(schema)).toMatchObject({
      areArgsValid: null,
      inputSchema: { properties: { a: { type: 'number' } } },
    });
    const valid = await here.run(['call', '/everything/get-sum', '{"a":1,"b":2}', '--dry-run', '--json']);
    expect(parseOutput(valid)).toMatchObject({ status: 'dry_run', report: { areArgsValid: true } });
    const invalid = await here.run(['call', '/everything/get-sum', '{}', '--dry-run']);
    expect(invalid.code).toBe(EXIT.refused);
  });

  it('fails after the time of --timeout', async () => {
    const slow = ['call', '/everything/trigger-long-running-operation', '{"duration":60,"steps":2}'];
    const run = await machine().run([...slow, '--timeout', '300', '--json']);
    expect(run.code).toBe(EXIT.refused);
    expect(parseOutput(run)).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED', retryable: true } });
  });

  it('writes a receipt when it is interrupted', async () => {
    const here = machine({ log: { level: 'info' } });
    const slow = ['call', '/everything/trigger-long-running-operation', '{"duration":120,"steps":120}'];
    const { child, ended, output } = here.start([...slow, '--json']);
    await expect.poll(() => output.stderr, { timeout: 45_000 }).toContain('"kind":"ready"');
    // The call starts as soon as the upstream is ready; its start is not visible from outside.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    child.kill('SIGINT');
    const { code, signal, stdout } = await ended;
    expect({ code, signal }).toEqual({ code: EXIT.refused, signal: null });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(await receiptsOf(here)).toMatchObject([{ status: 'failed', errorCode: 'CANCELLED' }]);
  });

  it('exits silently when its output pipe is closed', async () => {
    const here = machine({ results: { thresholdTokens: 1_000_000 } });
    const { child, ended, output } = here.start(['call', '/everything/echo', '-']);
    child.stdout.once('data', () => child.stdout.destroy());
    child.stdin.end(JSON.stringify({ message: 'long '.repeat(400_000) }));
    const { code, signal } = await ended;
    expect({ code, signal, stderr: output.stderr }).toEqual({ code: EXIT.ok, signal: null, stderr: '' });
    expect(output.stdout.length).toBeLessThan(2_000_000);
  });
});

describe('toolgate view', () => {
  it('reads a part of a long result in another process', async () => {
    const here = machine();
    const lines = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1} of a long story`);
    const call = await here.run(
      ['call', '/everything/echo', '-', '--json'],
      JSON.stringify({ message: lines.join('\n') }),
    );
    const [{ handle }] = parseOutput(call).view.artifacts;
    const plain = await here.run(['view', handle, '{"lines":{"start":2000,"end":2001}}']);
    expect(plain).toMatchObject({
      code: EXIT.ok,
      stdout: 'line 2000 of a long story\nline 2001 of a long story\n',
    });
    expect(plain.stderr).toBe(`(3000 lines in total; next: '{"lines":{"start":2002,"end":2101}}')\n`);
    const head = await here.run(['view', handle, '--json']);
    expect(head.code).toBe(EXIT.ok);
    expect(parseOutput(head)).toMatchObject({
      kind: 'text',
      selection: { text: expect.stringMatching(/^Echo: line 1 /) },
    });
    const named = await here.run(['view', handle, 'lines', '--json']);
    expect(parseOutput(named).selection.totals).toEqual({ lines: 3_000 });
  });

  it('refuses an unknown handle and an invalid selector', async () => {
    const here = machineWith({ 'toolgate.yaml': '' });
    const none = await here.run(['view', 'art_0123456789abcdef01234567']);
    expect(none).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(none.stderr).toMatch(/^TOOL_NOT_FOUND: No such artifact/);
    const wrong = await here.run(['view', 'art_0123456789abcdef01234567', 'sideways', '--json']);
    expect(wrong.code).toBe(EXIT.refused);
    expect(parseOutput(wrong).error.code).toBe('INVALID_INPUT');
  });
});

describe('toolgate affordances', () => {
  it('stays within the budget and includes the schema of the best tool', async () => {
    const { stdout, code } = await machine().run([
      'affordances',
      'add two numbers',
      '--budget',
      '600',
      '--json',
    ]);
    const { tokens, tokensLeft, schemas } = JSON.parse(stdout);
    expect(code).toBe(EXIT.ok);
    expect(tokens + tokensLeft).toBe(600);
    expect(schemas[0]).toContain('everything:get-sum#');
  });
});

describe('toolgate browse', () => {
  it('answers with what is there, and names an upstream that is still starting', async () => {
    const silent = {
      command: process.execPath,
      args: ['-e', 'process.stdin.resume()'],
      startTimeoutMs: 120_000,
    };
    const here = machineWith({ 'toolgate.json': { upstreams: { everything: EVERYTHING, silent } } });
    const { code, stdout, stderr } = await here.run(['browse', 'add two numbers']);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toMatch(/^everything:get-sum.+\nNot available: silent \(starting\)\.\n$/s);
    expect(stderr).toBe('Still starting: silent. Wait longer with --wait, for example --wait 30000.\n');
  });

  it('prints the cards of a query or a path', async () => {
    const here = machine();
    const plain = await here.run(['browse', 'add two numbers', '--top-k', '2']);
    expect(plain).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(plain.stdout.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(plain.stdout).toMatch(/^everything:get-sum#\w{8}\(a, b\): /);
    const json = await here.run(['browse', '/everything', '--json']);
    expect(json.code).toBe(EXIT.ok);
    expect(parseOutput(json).cards.length).toBeGreaterThan(5);
    const nothing = await here.run(['browse', 'quantum', '--json']);
    expect(nothing.code).toBe(EXIT.refused);
    expect(parseOutput(nothing)).toEqual({ cards: [], groups: [], unavailable: [] });
    const nowhere = await here.run(['browse', '/Everything']);
    expect(nowhere.code).toBe(EXIT.refused);
    expect(nowhere.stderr).toContain('Browse again from `/`.');
  });
});

describe('toolgate catalog and doctor', () => {
  it('print tools, contracts, findings and health', async () => {
    const here = machine();
    const list = await here.run(['catalog', 'list']);
    expect(list).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(list.stdout).toMatch(/^everything:echo#\w{8} {2}read_only$/m);
    expect(list.stdout).toMatch(/^\d+ tools$/m);
    const json = parseOutput(await here.run(['catalog', 'list', '--json']));
    expect(json.tools.length).toBe(json.upstreams[0].tools);
    const show = await here.run(['catalog', 'show', '/everything/echo', '--json']);
    expect(parseOutput(show)).toMatchObject({ upstreamName: 'echo', inputSchema: { required: ['message'] } });
    const none = await here.run(['catalog', 'show', '/everything/none', '--json']);
    expect(none.code).toBe(EXIT.refused);
    expect(parseOutput(none).error).toMatchObject({ code: 'TOOL_NOT_FOUND' });
    const report = await here.run(['catalog', 'report', '--json']);
    expect(report.code).toBe(EXIT.ok);
    expect(parseOutput(report).reports).toMatchObject([{ namespace: 'everything' }]);
    const doctor = await here.run(['doctor', '--json']);
    expect(doctor.code).toBe(EXIT.ok);
    expect(parseOutput(doctor)).toMatchObject({ healthy: true, upstreams: [{ state: { kind: 'ready' } }] });
  });

  it('tell what is off, disabled or without effect', async () => {
    const here = machineWith({
      'toolgate.json': {
        upstreams: { everything: EVERYTHING, figma: { command: 'x', enabled: false } },
        mcpServers: { memory: { command: 'x', disabled: true, maxConcurent: 1 } },
        tools: { 'everything:get-*': { enabled: false }, 'everything:ecko': { enabled: false } },
      },
    });
    const doctor = await here.run(['doctor']);
    expect(doctor).toMatchObject({ code: EXIT.ok, stderr: '' });
    for (const line of [
      /^tools {3}\d+ \(8 left out, 0 findings; see toolgate catalog report\)$/m,
      /^ {2}– figma {2}disabled$/m,
      /^ {2}– memory {2}disabled$/m,
      /^ {2}! mcpServers\.memory\.maxConcurent: unknown key.*did you mean "maxConcurrent"\?$/m,
      /^ {2}! tools\."everything:ecko": no such tool; did you mean "everything:echo"\?$/m,
      /^1 of 1 upstreams ready\.$/m,
    ])
      expect(doctor.stdout).toMatch(line);
    const report = await here.run(['catalog', 'report']);
    expect(report.code).toBe(EXIT.ok);
    expect(report.stdout).toMatch(/^ {2}left out {2}get-sum: switched off by tools\."everything:get-\*"$/m);
    expect(report.stdout).toMatch(
      /^ {2}left out {2}simulate-research-query: it can be called only as a task/m,
    );
    for (const command of [
      ['catalog', 'list', '--all'],
      ['browse', '/everything'],
      ['call', 'everything:get-sum'],
    ])
      expect((await here.run(command)).stdout).not.toContain('get-sum');
  });

  it('say that a config has no upstreams, or that every one is disabled', async () => {
    const empty = await machineWith({ 'toolgate.json': {} }).run(['doctor']);
    expect(empty.stdout).toContain('The config has no upstreams. Add one under "upstreams"');
    const off = { upstreams: { a: { command: 'x', enabled: false } } };
    const disabled = await machineWith({ 'toolgate.json': off }).run(['doctor']);
    expect(disabled.stdout).toContain('Every upstream is disabled.');
  });

  it('exit with code 4 if an upstream is not ready', async () => {
    const upstreams = { everything: EVERYTHING, broken: { command: 'toolgate-no-such-command' } };
    const here = machineWith({ 'toolgate.json': { upstreams } });
    const doctor = await here.run(['doctor']);
    expect(doctor).toMatchObject({ code: EXIT.unhealthy, stderr: '' });
    expect(doctor.stdout).toMatch(/✓ everything/);
    expect(doctor.stdout).toMatch(/✗ broken {2}\w+: /);
    expect(doctor.stdout).toContain('1 of 2 upstreams ready.\nCorrect the upstreams marked above.');
    const report = await here.run(['catalog', 'report', '--json']);
    expect(report.code).toBe(EXIT.unhealthy);
    expect(parseOutput(report).upstreams).toHaveLength(2);
    const call = await here.run(['call', '/everything/echo', '{"message":"still here"}']);
    expect(call).toMatchObject({ code: EXIT.ok, stdout: 'Echo: still here\n' });
  });
});

describe('toolgate import', () => {
  const servers = {
    mcpServers: { notes: { command: 'notes', env: { TOKEN: 's3cr3t' } }, gate: { command: 'toolgate' } },
  };

  it('shows the plan, and writes it with --yes', async () => {
    const here = machineWith({ '.mcp.json': servers });
    const planned = await here.run(['import']);
    expect(planned.code).toBe(EXIT.ok);
    expect(planned.stdout).toContain('add      notes  (Claude Code (project))');
    expect(planned.stdout).toContain('self     gate  (Claude Code (project))');
    expect(planned.stderr).toContain(
      `Nothing was written. To write ${join(here.folder, 'toolgate.yaml')}, run the command again with --yes.`,
    );
    const plan = await here.run(['import', '--json']);
    expect(parseOutput(plan)).toMatchObject({
      written: false,
      upstreams: [{ name: 'notes', action: 'add' }, { action: 'self' }],
    });
    expect(plan.stdout).not.toContain('s3cr3t');
    expect(readdirSync(here.folder)).toEqual(['.mcp.json']);
    const written = await here.run(['import', '--yes', '--json']);
    expect(parseOutput(written)).toMatchObject({ written: true, target: join(here.folder, 'toolgate.yaml') });
    expect(readFileSync(join(here.folder, 'toolgate.yaml'), 'utf8')).toContain('TOKEN: s3cr3t');
    const again = await here.run(['import', '--yes']);
    expect(again).toMatchObject({ code: EXIT.ok });
    expect(again.stdout).toContain('No servers to add.');
    expect((await here.run(['config', 'explain'])).code).toBe(EXIT.ok);
  });

  it('reports that no client config was found, with the next step', async () => {
    const empty = await machineWith().run(['import']);
    expect(empty.code).toBe(EXIT.refused);
    expect(empty.stdout).toContain('toolgate import --from FILE');
    const missing = await machineWith().run(['import', '--from', 'none.json', '--json']);
    expect(missing.code).toBe(EXIT.refused);
    expect(parseOutput(missing).files).toMatchObject([{ problem: 'the file cannot be read (ENOENT)' }]);
  });

  it('does not change an invalid target', async () => {
    const here = machineWith({ '.mcp.json': servers, 'toolgate.yaml': 'a: [1' });
    const run = await here.run(['import', '--yes']);
    expect(run.code).toBe(EXIT.usage);
    expect(run.stderr).toContain('invalid YAML');
    expect(readFileSync(join(here.folder, 'toolgate.yaml'), 'utf8')).toBe('a: [1');
  });
});
