import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { EVERYTHING, type Machine, machineWith, type Run } from '../../test/cli.ts';
import { listReceipts } from '../../test/receipts.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { EXIT } from './exit-codes.ts';

// One test starts several processes, one after another.
vi.setConfig({ testTimeout: 240_000 });

function machine(more: object = {}): Machine {
  return machineWith({ 'toolgate.json': { upstreams: { everything: EVERYTHING }, ...more } });
}

/** The one JSON document on standard output; nothing else may be there, and nothing on standard error. */
function document({ stdout, stderr }: Run): ReturnType<typeof JSON.parse> {
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
  it('explains the scores where asked', async () => {
    const here = machine();
    const plain = await here.run(['browse', 'echo a message', '--explain']);
    expect(plain.code).toBe(EXIT.ok);
    expect(plain.stdout).toMatch(
      /^everything:echo#[0-9a-f]{8} \(tool\): .+\n {4}[\d.]+ = words [\d.]+ \(echo, message\) \+ meaning [\d.]+/,
    );
    const { cards, explanations } = document(
      await here.run(['browse', 'echo a message', '--explain', '--json']),
    );
    expect(Object.keys(explanations)).toEqual(cards.map(({ id }: { id: string }) => id));
    expect(explanations[cards[0].id].score).toBe(cards[0].score);
  });
});

describe('toolgate examples', () => {
  it('lists what was learned and forgets it, without starting any upstream', async () => {
    const here = machineWith({ 'toolgate.json': { upstreams: { broken: { command: 'no-such-program' } } } });
    expect((await here.run(['examples', 'list'])).stdout).toMatch(/^Nothing was learned/);
    const stores = await openSqliteStores({ file: join(here.home, 'state', 'toolgate.sqlite') });
    await stores.usage.record('["a"]', { tool: 'x:y', request: 'do y' });
    await stores.usage.record('["b"]', { tool: 'x:z', request: 'do z' });
    await stores.close();
    expect((await here.run(['examples', 'list'])).stdout).toMatch(
      /^\["a"\] {2}1 pairs, snapshot [0-9a-f]{16}\n {2}x:y {2}"do y"\n/,
    );
    expect(document(await here.run(['examples', 'list', '--json', '--owner', '["b"]']))).toMatchObject([
      { owner: '["b"]', pairs: [{ tool: 'x:z', request: 'do z', times: 1 }] },
    ]);
    expect(document(await here.run(['examples', 'clear', '--json', '--owner', '["a"]']))).toEqual({
      cleared: 1,
    });
    expect((await here.run(['examples', 'clear'])).stdout).toMatch(/^1 pairs forgotten/);
    expect(document(await here.run(['examples', 'list', '--json']))).toEqual([]);
  });
});

describe('toolgate call', () => {
  it('prints the answer, and as JSON the whole outcome', async () => {
    const here = machine();
    const plain = await here.run(['call', '/everything/echo', '{"message":"hi"}']);
    expect(plain).toMatchObject({ code: EXIT.ok, stdout: 'Echo: hi\n', stderr: '' });
    const json = await here.run(['call', '/everything/echo', '{"message":"hi"}', '--json', '--key', 'k']);
    expect(json.code).toBe(EXIT.ok);
    expect(document(json)).toMatchObject({
      status: 'ok',
      view: { content: [{ type: 'text', text: 'Echo: hi' }] },
      provenance: { upstream: 'everything' },
    });
    expect(await receiptsOf(here)).toMatchObject([
      { surface: 'cli', status: 'ok', requested: '/everything/echo', idempotencyKey: 'k' },
      { surface: 'cli', status: 'ok', idempotencyKey: null },
    ]);
  });

  it('reads its arguments from standard input', async () => {
    const { code, stdout } = await machine().run(
      ['call', '/everything/echo', '-'],
      '{"message":"from stdin"}\n',
    );
    expect(code).toBe(EXIT.ok);
    expect(stdout).toBe('Echo: from stdin\n');
  });

  it('says why it was refused, and logs nothing', async () => {
    const here = machine();
    const wrong = await here.run(['call', '/everything/get-sum', '{"a":"x"}']);
    expect(wrong).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(wrong.stderr).toMatch(/^INVALID_INPUT: .+\n\{\n {2}"errors"/);
    expect(wrong.stderr).toContain('"signature": "get-sum(a: number, b: number)"');
    expect(wrong.stderr).not.toMatch(/"level"|\n\s+at /);
    const json = await here.run(['call', '/everything/get-sum', '{"a":"x"}', '--json']);
    expect(json.code).toBe(EXIT.refused);
    expect(document(json)).toMatchObject({ status: 'failed', error: { code: 'INVALID_INPUT' } });
    const unknown = await here.run(['call', '/everything/nothing']);
    expect(unknown).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(unknown.stderr).toMatch(/^TOOL_NOT_FOUND: No such tool\./);
    expect((await receiptsOf(here)).map(({ errorCode }) => errorCode)).toEqual([
      'TOOL_NOT_FOUND',
      'INVALID_INPUT',
      'INVALID_INPUT',
    ]);
  });

  it('logs where the config asks for a log, and then without the stack of a refusal', async () => {
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

  it('says of a tool whose server does not start why it is not there', async () => {
    const here = machineWith({
      'toolgate.json': { upstreams: { broken: { command: 'toolgate-no-such-command' } } },
    });
    const { code, stderr } = await here.run(['call', '/broken/echo']);
    expect(code).toBe(EXIT.refused);
    expect(stderr).toMatch(/TOOL_NOT_FOUND: .+\n {2}✗ broken {2}\w+: .*toolgate-no-such-command/);
  });

  it('rehearses, and without arguments shows the schema', async () => {
    const here = machine();
    const schema = await here.run(['call', '/everything/get-sum', '--dry-run']);
    expect(schema.code).toBe(EXIT.ok);
    expect(document(schema)).toMatchObject({
      dry_run: true,
      args_valid: null,
      input_schema: { properties: { a: { type: 'number' } } },
    });
    const valid = await here.run(['call', '/everything/get-sum', '{"a":1,"b":2}', '--dry-run', '--json']);
    expect(document(valid)).toMatchObject({ status: 'dry_run', report: { args_valid: true } });
    const invalid = await here.run(['call', '/everything/get-sum', '{}', '--dry-run']);
    expect(invalid.code).toBe(EXIT.refused);
  });

  it('gives up after the time that it was given', async () => {
    const slow = ['call', '/everything/trigger-long-running-operation', '{"duration":60,"steps":2}'];
    const run = await machine().run([...slow, '--timeout', '300', '--json']);
    expect(run.code).toBe(EXIT.refused);
    expect(document(run)).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED', retryable: true } });
  });

  it('ends with a receipt when it is interrupted', async () => {
    const here = machine({ log: { level: 'info' } });
    const slow = ['call', '/everything/trigger-long-running-operation', '{"duration":120,"steps":120}'];
    const { child, ended, output } = here.start([...slow, '--json']);
    await expect.poll(() => output.stderr, { timeout: 45_000 }).toContain('"kind":"ready"');
    // The call follows the ready upstream at once; nothing outside tells when it is under way.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    child.kill('SIGINT');
    const { code, signal, stdout } = await ended;
    expect({ code, signal }).toEqual({ code: EXIT.refused, signal: null });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED', variant: 'cancelled' } });
    expect(await receiptsOf(here)).toMatchObject([{ status: 'failed', errorCode: 'DEADLINE_EXCEEDED' }]);
  });

  it('is silent when its reader goes away', async () => {
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
  it('reads more of a long result in another process', async () => {
    const here = machine();
    const lines = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1} of a long story`);
    const call = await here.run(
      ['call', '/everything/echo', '-', '--json'],
      JSON.stringify({ message: lines.join('\n') }),
    );
    const [{ handle }] = document(call).view.artifacts;
    const plain = await here.run(['view', handle, '{"lines":{"start":2000,"end":2001}}']);
    expect(plain).toMatchObject({
      code: EXIT.ok,
      stdout: 'line 2000 of a long story\nline 2001 of a long story\n',
    });
    expect(plain.stderr).toBe(`(3000 lines in all; next: '{"lines":{"start":2002,"end":2101}}')\n`);
    const head = await here.run(['view', handle, '--json']);
    expect(head.code).toBe(EXIT.ok);
    expect(document(head)).toMatchObject({
      kind: 'text',
      selection: { text: expect.stringMatching(/^Echo: line 1 /) },
    });
    const named = await here.run(['view', handle, 'lines', '--json']);
    expect(document(named).selection.totals).toEqual({ lines: 3_000 });
  });

  it('refuses handles and selectors that lead nowhere', async () => {
    const here = machineWith({ 'toolgate.yaml': '' });
    const none = await here.run(['view', 'art_0123456789abcdef01234567']);
    expect(none).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(none.stderr).toMatch(/^TOOL_NOT_FOUND: No such artifact/);
    const wrong = await here.run(['view', 'art_0123456789abcdef01234567', 'sideways', '--json']);
    expect(wrong.code).toBe(EXIT.refused);
    expect(document(wrong).error.code).toBe('INVALID_INPUT');
  });
});

describe('toolgate affordances', () => {
  it('keep the budget and name the tool that serves', async () => {
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
  it('finds what an agent would find', async () => {
    const here = machine();
    const plain = await here.run(['browse', 'add two numbers', '--top-k', '2']);
    expect(plain).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(plain.stdout.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(plain.stdout).toMatch(/^everything:get-sum#\w{8} \(tool\): /);
    const json = await here.run(['browse', '/everything', '--json']);
    expect(json.code).toBe(EXIT.ok);
    expect(document(json).cards.length).toBeGreaterThan(5);
    const nothing = await here.run(['browse', 'quantum', '--json']);
    expect(nothing.code).toBe(EXIT.refused);
    expect(document(nothing)).toEqual({ cards: [], groups: [], unavailable: [] });
    const nowhere = await here.run(['browse', '/Everything']);
    expect(nowhere.code).toBe(EXIT.refused);
    expect(nowhere.stderr).toContain('Start again from `/`.');
  });
});

describe('toolgate catalog and doctor', () => {
  it('show what is there', async () => {
    const here = machine();
    const list = await here.run(['catalog', 'list']);
    expect(list).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(list.stdout).toMatch(/^everything:echo#\w{8} {2}read_only$/m);
    expect(list.stdout).toMatch(/^\d+ tools$/m);
    const json = document(await here.run(['catalog', 'list', '--json']));
    expect(json.tools.length).toBe(json.upstreams[0].tools);
    const show = await here.run(['catalog', 'show', '/everything/echo', '--json']);
    expect(document(show)).toMatchObject({ upstreamName: 'echo', inputSchema: { required: ['message'] } });
    const none = await here.run(['catalog', 'show', '/everything/none', '--json']);
    expect(none.code).toBe(EXIT.refused);
    expect(document(none).error).toMatchObject({ code: 'TOOL_NOT_FOUND' });
    const report = await here.run(['catalog', 'report', '--json']);
    expect(report.code).toBe(EXIT.ok);
    expect(document(report).reports).toMatchObject([{ namespace: 'everything' }]);
    const doctor = await here.run(['doctor', '--json']);
    expect(doctor.code).toBe(EXIT.ok);
    expect(document(doctor)).toMatchObject({ healthy: true, upstreams: [{ state: { kind: 'ready' } }] });
  });

  it('tell by their exit code that an upstream is missing', async () => {
    const upstreams = { everything: EVERYTHING, broken: { command: 'toolgate-no-such-command' } };
    const here = machineWith({ 'toolgate.json': { upstreams } });
    const doctor = await here.run(['doctor']);
    expect(doctor).toMatchObject({ code: EXIT.unhealthy, stderr: '' });
    expect(doctor.stdout).toMatch(/✓ everything/);
    expect(doctor.stdout).toMatch(/✗ broken {2}\w+: /);
    expect(doctor.stdout).toContain('the others are served');
    const report = await here.run(['catalog', 'report', '--json']);
    expect(report.code).toBe(EXIT.unhealthy);
    expect(document(report).upstreams).toHaveLength(2);
    const call = await here.run(['call', '/everything/echo', '{"message":"still here"}']);
    expect(call).toMatchObject({ code: EXIT.ok, stdout: 'Echo: still here\n' });
  });
});

describe('toolgate import', () => {
  const servers = {
    mcpServers: { notes: { command: 'notes', env: { TOKEN: 's3cr3t' } }, gate: { command: 'toolgate' } },
  };

  it('shows the plan, and writes it after a yes', async () => {
    const here = machineWith({ '.mcp.json': servers });
    const asked = await here.run(['import']);
    expect(asked.code).toBe(EXIT.ok);
    expect(asked.stdout).toContain('add      notes  (Claude Code (project))');
    expect(asked.stdout).toContain('self     gate  (Claude Code (project))');
    expect(asked.stderr).toContain('Nothing was written. Run it again with --yes');
    const plan = await here.run(['import', '--json']);
    expect(document(plan)).toMatchObject({
      written: false,
      upstreams: [{ name: 'notes', action: 'add' }, { action: 'self' }],
    });
    expect(plan.stdout).not.toContain('s3cr3t');
    expect(readdirSync(here.folder)).toEqual(['.mcp.json']);
    const written = await here.run(['import', '--yes', '--json']);
    expect(document(written)).toMatchObject({ written: true, target: join(here.folder, 'toolgate.yaml') });
    expect(readFileSync(join(here.folder, 'toolgate.yaml'), 'utf8')).toContain('TOKEN: s3cr3t');
    const again = await here.run(['import', '--yes']);
    expect(again).toMatchObject({ code: EXIT.ok });
    expect(again.stdout).toContain('Nothing to add.');
    expect((await here.run(['config', 'explain'])).code).toBe(EXIT.ok);
  });

  it('finds nothing where nothing is, and says what to do', async () => {
    const empty = await machineWith().run(['import']);
    expect(empty.code).toBe(EXIT.refused);
    expect(empty.stdout).toContain('toolgate import --from FILE');
    const missing = await machineWith().run(['import', '--from', 'none.json', '--json']);
    expect(missing.code).toBe(EXIT.refused);
    expect(document(missing).files).toMatchObject([{ problem: 'the file cannot be read (ENOENT)' }]);
  });

  it('leaves a broken target as it is', async () => {
    const here = machineWith({ '.mcp.json': servers, 'toolgate.yaml': 'a: [1' });
    const run = await here.run(['import', '--yes']);
    expect(run.code).toBe(EXIT.usage);
    expect(run.stderr).toContain('not YAML');
    expect(readFileSync(join(here.folder, 'toolgate.yaml'), 'utf8')).toBe('a: [1');
  });
});
