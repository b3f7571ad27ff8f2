import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Machine, machineWith, type Run } from '../../test/cli.ts';
import { fileWith } from '../../test/folder.ts';
import { linesOf } from '../../test/gateway.ts';
import { stdioServer } from '../../test/servers/spawn.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import type { CallEntry, LogEntry, RecordedEntry } from '../contract/ports/receipt-log.ts';
import type { Stores } from '../contract/ports/stores.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { CLEARED_EXAMPLES, callIdOf, intentOf, resolutionOf } from '../toolkit/store-cases/log-samples.ts';
import { sampleEntry, sampleReceipt } from '../toolkit/store-cases/samples.ts';
import { EXIT } from './exit-codes.ts';

// One test starts several processes, one after another.
vi.setConfig({ testTimeout: 240_000 });

/** A machine whose only upstream cannot be started: these commands read the store. */
function machine(): Machine {
  return machineWith({ 'toolgate.json': { upstreams: { broken: { command: 'no-such-program' } } } });
}

async function inStores<Result>(
  { home }: Machine,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const stores = await openSqliteStores({ file: join(home, 'state', 'toolgate.sqlite') });
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

function write(here: Machine, ...entries: readonly LogEntry[]): Promise<void> {
  return inStores(here, async (stores) => {
    await Promise.all(entries.map((entry) => stores.receipts.append(entry)));
  });
}

/** Calls whose process ended between intent and result: the store is closed while it holds their keys. */
function lose(here: Machine, ...callIds: readonly string[]): Promise<void> {
  return inStores(here, async ({ idempotency }) => {
    for (const callId of callIds) {
      const crashReceipt = sampleReceipt({ callId, status: 'unknown', errorCode: null, phase: 'execute' });
      await idempotency.claim({ scope: callId, callId, inputHash: 'h', windowMs: 3_600_000, crashReceipt });
      await idempotency.recordIntent(callId, callId);
    }
  });
}

/** The one JSON document on standard output, and nothing on standard error. */
function document({ stdout, stderr }: Run): ReturnType<typeof JSON.parse> {
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const receiptsOf = (entries: readonly CallEntry[]): Receipt[] => entries.map(({ receipt }) => receipt);

describe('toolgate calls list', () => {
  const ENTRIES: readonly CallEntry[] = [
    sampleEntry({ callId: 'one', status: 'ok', errorCode: null, source: 'compute' }),
    sampleEntry({ callId: 'two', principalId: 'ann' }),
    sampleEntry({ callId: 'three', toolId: null, requested: '/files/gone', source: null }),
    sampleEntry({ callId: 'four', status: 'ok', errorCode: null, source: 'replay' }),
  ];

  it('prints one line for each call, newest first, and the entries as JSON', async () => {
    const here = machine();
    await write(here, ...ENTRIES);
    const plain = await here.run(['calls', 'list']);
    expect(plain).toMatchObject({ code: EXIT.ok, stderr: '' });
    const at = '2026-03-01T12:00:00.000Z';
    expect(plain.stdout).toBe(
      [
        `${at}  four  ok (replay)  files:read_file@1.2.0  agent-7  13 ms`,
        `${at}  three  failed APPROVAL_REQUIRED  /files/gone  agent-7  13 ms`,
        `${at}  two  failed APPROVAL_REQUIRED  files:read_file@1.2.0  ann  13 ms`,
        `${at}  one  ok  files:read_file@1.2.0  agent-7  13 ms`,
        '',
      ].join('\n'),
    );
    const json = await here.run(['calls', 'list', '--json']);
    expect(json.code).toBe(EXIT.ok);
    expect(document(json)).toEqual(ENTRIES.map((entry, at) => ({ seq: at + 1, ...entry })).toReversed());
  });

  it('prints one line for each entry of another kind', async () => {
    const here = machine();
    await write(
      here,
      intentOf('one'),
      resolutionOf('one'),
      resolutionOf('two', { verdict: 'executed', reason: null }),
      CLEARED_EXAMPLES,
    );
    expect((await here.run(['calls', 'list'])).stdout.split('\n')).toEqual([
      '2026-03-01T14:00:00.000Z  clear_examples  {"owner":null,"removed":3}  operator:ann',
      '2026-03-01T13:00:00.000Z  two  resolved as executed  operator:ann',
      '2026-03-01T13:00:00.000Z  one  resolved as not executed: There is no invoice.  operator:ann',
      '2026-03-01T11:59:59.000Z  one  intent  files:read_file@1.2.0  agent-7',
      '',
    ]);
  });

  it('prints nothing for an empty log', async () => {
    const here = machine();
    expect(await here.run(['calls', 'list'])).toMatchObject({ code: EXIT.ok, stdout: '', stderr: '' });
    expect(document(await here.run(['calls', 'list', '--json']))).toEqual([]);
  });

  it('can be narrowed by status, principal, tool, kind and time, and continues where a page ended', async () => {
    const here = machine();
    await write(here, ...ENTRIES, sampleEntry({ callId: 'later', at: '2026-03-02T00:00:00.000Z' }));
    const listed = async (...options: string[]): Promise<string[]> =>
      (document(await here.run(['calls', 'list', '--json', ...options])) as LogEntry[]).map(callIdOf);
    expect(await listed('--status', 'ok')).toEqual(['four', 'one']);
    expect(await listed('--principal', 'ann')).toEqual(['two']);
    expect(await listed('--tool', 'files:read_file@1.2.0', '--principal', 'ann')).toEqual(['two']);
    const all = await listed('--tool', 'files:read_file@1.2.0');
    expect(all).toContain('two');
    expect(await listed('--tool', 'files:read_file')).toEqual(all);
    expect(await listed('--tool', '/files/read_file')).toEqual(all);
    expect(await listed('--tool', 'files:read')).toEqual([]);
    expect(await listed('--kind', 'operator')).toEqual([]);
    expect(await listed('--since', '2026-03-02')).toEqual(['later']);
    expect(await listed('--since', '2026-03-01', '--until', '2026-03-02', '--limit', '1')).toEqual(['four']);
    const page = await here.run(['calls', 'list', '--limit', '3']);
    expect(page.stdout.split('\n')).toHaveLength(4);
    expect(page.stderr).toBe('More: toolgate calls list --before 3\n');
    expect(await listed('--limit', '2', '--before', '3')).toEqual(['two', 'one']);
    expect((await here.run(['calls', 'list', '-n', '2', '--quiet'])).stderr).toBe('');
  });

  it('prints text of callers on one line, without control characters', async () => {
    const here = machine();
    const requested = 'no\nsuch\u001b[2J\u001b]0;title\u0007 tool\u202e';
    await write(here, sampleEntry({ callId: 'one', toolId: null, requested, principalId: 'a\u001b[31mnn' }));
    const { stdout } = await here.run(['calls', 'list']);
    expect(stdout).toMatch(/^\S+ {2}one {2}failed APPROVAL_REQUIRED {2}no such tool {2}ann {2}13 ms\n$/);
  });

  it.each([
    ['a limit that is not a number', ['--limit', 'many']],
    ['a time that is not a date', ['--since', 'yesterday']],
    ['a kind that does not exist', ['--kind', 'visit']],
  ])('refuses %s', async (_, options) => {
    const { code, stdout } = await machine().run(['calls', 'list', ...options]);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: '' });
  });
});

describe('toolgate calls show', () => {
  it('prints every entry of the call, oldest first', async () => {
    const here = machine();
    const entries = [intentOf('one'), sampleEntry({ callId: 'one' }), resolutionOf('one')];
    await inStores(here, async ({ receipts }) => {
      for (const entry of [...entries, sampleEntry({ callId: 'two' })]) await receipts.append(entry);
    });
    for (const options of [[], ['--json']]) {
      const shown = await here.run(['calls', 'show', 'one', ...options]);
      expect(shown.code).toBe(EXIT.ok);
      expect(document(shown)).toEqual(entries.map((entry, at) => ({ seq: at + 1, ...entry })));
    }
  });

  it('refuses a call that is not in the log', async () => {
    const here = machine();
    const plain = await here.run(['calls', 'show', 'missing']);
    expect(plain).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(plain.stderr).toContain('missing');
    const json = await here.run(['calls', 'show', 'missing', '--json']);
    expect(json.code).toBe(EXIT.refused);
    expect(document(json)).toMatchObject({ error: { message: expect.stringContaining('missing') } });
    expect((await here.run(['calls', 'show'])).code).toBe(EXIT.usage);
  });
});

describe('toolgate calls prune', () => {
  const OLD = '2026-01-01T00:00:00.000Z';

  async function machineWithOldCalls(): Promise<Machine> {
    const here = machine();
    await lose(here, 'unresolved');
    await write(
      here,
      sampleEntry({ callId: 'unresolved', at: OLD, status: 'unknown' }),
      sampleEntry({ callId: 'old', at: OLD }),
      sampleEntry({ callId: 'recent', at: new Date().toISOString() }),
    );
    return here;
  }
  const entriesOf = async (here: Machine): Promise<RecordedEntry[]> =>
    document(await here.run(['calls', 'list', '--json']));

  it('removes entries before a time, records it, and keeps unresolved calls', async () => {
    const here = await machineWithOldCalls();
    const dryRun = await here.run(['calls', 'prune', '--before', '2026-02-01', '--dry-run']);
    expect(dryRun).toMatchObject({
      code: EXIT.ok,
      stdout: '1 entry before 2026-02-01T00:00:00.000Z would be removed.\n',
      stderr: '',
    });
    expect(await entriesOf(here)).toHaveLength(3);
    const pruned = await here.run(['calls', 'prune', '--before', '2026-02-01']);
    expect(pruned.stdout).toBe('1 entry before 2026-02-01T00:00:00.000Z removed.\n');
    const [operator, recent, unresolved, ...rest] = await entriesOf(here);
    expect(rest).toEqual([]);
    expect(operator).toMatchObject({
      kind: 'operator',
      action: 'prune',
      principalId: expect.stringMatching(/^operator:./),
      details: { before: '2026-02-01T00:00:00.000Z', removed: 1 },
    });
    expect([recent, unresolved].map((entry) => callIdOf(entry!))).toEqual(['recent', 'unresolved']);
  });

  it('keeps as many days as it is given, else as the config sets', async () => {
    const here = await machineWithOldCalls();
    const days = await here.run(['calls', 'prune', '--keep-days', '36000', '--json']);
    expect(document(days)).toEqual({ before: expect.stringMatching(/^19/), removed: 0, dryRun: false });
    expect(document(await here.run(['calls', 'prune', '--json']))).toMatchObject({ removed: 1 });
    expect(document(await here.run(['calls', 'prune', '--json']))).toMatchObject({ removed: 0 });
  });

  it.each([
    ['both --before and --keep-days', ['--before', '2026-01-01', '--keep-days', '3'], 'either'],
    ['a time in the future', ['--before', '2999-01-01'], 'future'],
    ['a time that is not a date', ['--before', 'soon'], '2026-01-31'],
    ['no days', ['--keep-days', '0'], 'whole number'],
  ])('refuses %s', async (_, options, text) => {
    const { code, stdout, stderr } = await machine().run(['calls', 'prune', ...options]);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: '' });
    expect(stderr).toContain(text);
  });

  it('needs a time where the config keeps everything', async () => {
    const here = machineWith({ 'toolgate.json': { upstreams: {}, receipts: { keepDays: 0 } } });
    const { code, stderr } = await here.run(['calls', 'prune']);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('--before or --keep-days');
  });

  it('shows an example in its help', async () => {
    const { stdout } = await machine().run(['calls', 'prune', '--help']);
    expect(stdout).toContain('toolgate calls prune --keep-days 30 --dry-run');
  });
});

describe('toolgate calls tail', () => {
  it.each([
    ['lines', []],
    ['JSON, one document a line', ['--json']],
  ])('prints what other processes append from then on, in order, until a signal: %s', async (_, options) => {
    const here = machine();
    await write(here, sampleEntry({ callId: 'before' }));
    const { child, ended, output } = here.start(['calls', 'tail', ...options]);
    const lines = (): string[] => output.stdout.split('\n').filter((line) => line !== '');
    // The start of the polling cannot be observed, so entries are written until one is printed.
    let tries = 0;
    await expect
      .poll(
        async () => {
          await write(here, sampleEntry({ callId: `try-${tries++}` }));
          return lines().length;
        },
        { timeout: 60_000, interval: 300 },
      )
      .toBeGreaterThan(0);
    // More than one page between two polls.
    const burst = Array.from({ length: 450 }, (_, n) => `burst-${n}`);
    await write(here, ...[...burst, 'last'].map((callId) => sampleEntry({ callId })));
    await expect.poll(() => output.stdout, { timeout: 60_000 }).toContain('last');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: EXIT.ok, signal: null, stderr: '' });
    expect(output.stdout).not.toContain('before');
    const seen = lines().map((line) =>
      options.length > 0 ? callIdOf(JSON.parse(line) as LogEntry) : line.split('  ')[1]!,
    );
    const written = [...Array.from({ length: tries }, (_, n) => `try-${n}`), ...burst, 'last'];
    // Every entry since the first that was printed, once.
    expect(seen).toEqual(written.slice(written.indexOf(seen[0]!)));
  });
});

describe('toolgate store backup', () => {
  it('copies the store to a new file', async () => {
    const here = machine();
    await write(here, sampleEntry({ callId: 'one' }));
    const target = join(here.home, 'backup.sqlite');
    const made = await here.run(['store', 'backup', target]);
    expect(made).toMatchObject({ code: EXIT.ok, stdout: `Backup written to ${target}.\n` });
    const copy = await openSqliteStores({ file: target });
    expect(await copy.receipts.get('one')).toBeDefined();
    await copy.close();
    const again = await here.run(['store', 'backup', target]);
    expect(again).toMatchObject({ code: EXIT.failed });
    expect(again.stderr).toContain(`${target} exists.`);
  });
});

describe('toolgate calls unresolved', () => {
  it('reports that no call is unresolved', async () => {
    const here = machine();
    expect(await here.run(['calls', 'unresolved'])).toMatchObject({
      code: EXIT.ok,
      stdout: 'No unresolved calls.\n',
      stderr: '',
    });
    const json = await here.run(['calls', 'unresolved', '--json']);
    expect(json.code).toBe(EXIT.ok);
    expect(document(json)).toEqual([]);
  });

  it('lists calls whose outcome is unknown, oldest first, with an exit code of its own', async () => {
    const here = machine();
    await lose(here, 'one', 'two');
    const plain = await here.run(['calls', 'unresolved']);
    expect(plain.code).toBe(EXIT.unhealthy);
    expect(plain.stdout).toMatch(/^\S+ {2}one {2}unknown .+\n\S+ {2}two {2}unknown .+\n$/);
    expect(plain.stderr).toContain('toolgate calls resolve');
    const json = await here.run(['calls', 'unresolved', '--json', '--limit', '1']);
    expect(json.code).toBe(EXIT.unhealthy);
    expect(document(json)).toMatchObject([{ callId: 'one', status: 'unknown', idempotencyKey: 'order-41' }]);
  });

  it('shows the keys, says that there are more, and finds a call by its key', async () => {
    const here = machine();
    await lose(here, 'one', 'two');
    const { stdout, stderr } = await here.run(['calls', 'unresolved', '--limit', '1']);
    expect(stdout).toMatch(/^\S+ {2}one .+ {2}order-41\n$/);
    expect(stderr).toContain('There are more than 1 unresolved calls. Show more with --limit.');
    const ambiguous = await here.run(['calls', 'resolve', 'order-41', '--executed']);
    expect(ambiguous.stderr).toContain('Choose one by its id: one, two.');
    await here.run(['calls', 'resolve', 'one', '--executed']);
    expect((await here.run(['calls', 'resolve', 'order-41', '--executed'])).code).toBe(EXIT.ok);
    expect((await here.run(['calls', 'unresolved'])).stdout).toBe('No unresolved calls.\n');
  });
});

describe('toolgate calls resolve', () => {
  it('records whether a call was executed, once', async () => {
    const here = machine();
    await lose(here, 'one', 'two', 'three');
    expect(await here.run(['calls', 'resolve', 'one', '--executed'])).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringMatching(/^Resolved as executed: later calls with its key/),
      stderr: '',
    });
    expect(await here.run(['calls', 'resolve', 'two', '--not-executed'])).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringMatching(/^Resolved as not executed: its key is free/),
    });
    const json = await here.run(['calls', 'resolve', 'three', '--not-executed', '--json']);
    const resolved = document(json);
    expect(resolved).toEqual({ callId: 'three', verdict: 'not_executed', seq: expect.any(Number) });
    expect(document(await here.run(['calls', 'show', 'three']))).toMatchObject([
      { kind: 'call', receipt: { callId: 'three', status: 'unknown' } },
      {
        seq: resolved.seq,
        kind: 'resolution',
        principalId: expect.stringMatching(/^operator:./),
        verdict: 'not_executed',
      },
    ]);
    for (const callId of ['one', 'two']) {
      expect(await here.run(['calls', 'resolve', callId, '--executed'])).toMatchObject({
        code: EXIT.refused,
        stdout: '',
      });
    }
    expect((await here.run(['calls', 'unresolved'])).code).toBe(EXIT.ok);
  });

  it('records the call itself, and the operator, the time, the verdict and the reason without secrets', async () => {
    const here = machine();
    await lose(here, 'one');
    const reason = 'There is no invoice, and this is a key: ghp_0123456789abcdefghijABCDEFGHIJ012345';
    await here.run(['calls', 'resolve', 'one', '--not-executed', '--reason', reason]);
    const [resolution, call, ...rest] = document(await here.run(['calls', 'list', '--json']));
    expect(rest).toEqual([]);
    expect(call).toMatchObject({ kind: 'call', receipt: { callId: 'one', status: 'unknown' } });
    expect(resolution).toMatchObject({
      kind: 'resolution',
      callId: 'one',
      traceId: call.receipt.traceId,
      idempotencyKey: call.receipt.idempotencyKey,
      at: expect.stringMatching(/^20\d\d-/),
      principalId: expect.stringMatching(/^operator:./),
      verdict: 'not_executed',
      reason: expect.stringMatching(/^There is no invoice/),
    });
    expect(resolution.reason).not.toContain('ghp_');
  });

  it.each([
    ['neither', []],
    ['both', ['--executed', '--not-executed']],
  ])('requires one verdict and refuses %s', async (_, verdict) => {
    const here = machine();
    await lose(here, 'one');
    const plain = await here.run(['calls', 'resolve', 'one', ...verdict]);
    expect(plain.code).not.toBe(EXIT.ok);
    expect(plain.stdout).toBe('');
    expect(plain.stderr).toContain('--executed or --not-executed');
    // No call was resolved.
    expect((await here.run(['calls', 'unresolved'])).code).toBe(EXIT.unhealthy);
  });

  it('refuses a call that does not exist, that is done or that is in flight', async () => {
    const here = machine();
    await inStores(here, async ({ idempotency, receipts }) => {
      const crashReceipt = (callId: string) => sampleReceipt({ callId, status: 'unknown' });
      for (const callId of ['done', 'running']) {
        const claim = {
          scope: callId,
          callId,
          inputHash: 'h',
          windowMs: 3_600_000,
          crashReceipt: crashReceipt(callId),
        };
        await idempotency.claim(claim);
        await idempotency.recordIntent(callId, callId);
      }
      await idempotency.complete('done', 'done', '{}');
      await receipts.append(sampleEntry({ callId: 'done', status: 'ok' }));
      for (const callId of ['missing', 'done', 'running']) {
        const json = await here.run(['calls', 'resolve', callId, '--executed', '--json']);
        expect(json.code).toBe(EXIT.refused);
        expect(document(json)).toMatchObject({ error: { message: expect.stringContaining(callId) } });
      }
    });
  });
});

describe('a call whose answer a running gateway still awaits', () => {
  it('is resolved only with --force', async () => {
    const here = machine();
    await inStores(here, async ({ idempotency }) => {
      const crashReceipt = sampleReceipt({ callId: 'late', status: 'unknown', errorCode: null });
      const claim = { scope: 'a', callId: 'late', inputHash: 'h', windowMs: 60_000, crashReceipt };
      await idempotency.claim({ ...claim, hasIntent: true });
      await idempotency.markUnknown('a', 'late');
      const refused = await here.run(['calls', 'resolve', 'late', '--not-executed']);
      expect(refused.code).toBe(EXIT.refused);
      expect(refused.stderr).toMatch(/^AWAITED: A running gateway still waits for the answer to call late/);
      expect(refused.stderr).toContain('--force');
      expect(await idempotency.listUnresolved(1)).toHaveLength(1);
      expect((await here.run(['calls', 'resolve', 'late', '--not-executed', '--force'])).code).toBe(EXIT.ok);
      expect(await idempotency.listUnresolved(1)).toEqual([]);
    });
  });
});

describe('a keyed call whose caller gave up while it was in flight', () => {
  const ARGS = '{"ms":2500}';
  const GIVE_UP = ['--timeout', '1000'];

  /** Calls a slow tool with a key, gives up too early, and finds the call among the unresolved. */
  async function giveUp(key: string) {
    const log = fileWith('effects.log', '');
    const here = machineWith({
      'toolgate.json': { upstreams: { shop: stdioServer('v2-stdio', '--log', log) } },
    });
    const call = (...more: string[]): Promise<Run> =>
      here.run(['call', '/shop/deaf', ARGS, '--key', key, ...more]);
    const effects = (): number => linesOf(log, 'call deaf').length;
    const gaveUp = await call(...GIVE_UP, '--json');
    expect(gaveUp.code).toBe(EXIT.refused);
    const { callId, error } = document(gaveUp);
    expect(error.code).toBe('DEADLINE_EXCEEDED');
    const unresolved = await here.run(['calls', 'unresolved', '--json']);
    expect(unresolved.code).toBe(EXIT.unhealthy);
    expect(document(unresolved)).toMatchObject([{ callId, idempotencyKey: key }]);

    const refused = await call();
    expect(refused).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(refused.stderr).toMatch(/^CONFLICT: The outcome of an earlier call/);
    expect(refused.stderr).toContain(`"unresolved_call": "${callId}"`);
    expect(effects()).toBe(1);
    return { here, call, callId: callId as string, effects };
  }

  it('is answered with the resolution of an operator: executed', async () => {
    const { here, call, callId, effects } = await giveUp('order-41');
    const resolved = await here.run([
      ...['calls', 'resolve', callId, '--executed', '--message', 'Invoice 7 is paid.'],
    ]);
    expect(resolved.code).toBe(EXIT.ok);
    const plain = await call();
    expect(plain).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(plain.stdout).toBe(
      'An operator resolved this call as executed. The result of the tool is not known. Invoice 7 is paid.\n',
    );
    expect(document(await call('--json'))).toMatchObject({
      status: 'ok',
      provenance: { source: 'replay', replayOf: callId },
    });
    const other = await here.run(['call', '/shop/deaf', '{"ms":1}', '--key', 'order-41', '--json']);
    expect(document(other)).toMatchObject({ error: { code: 'CONFLICT', variant: 'other_arguments' } });
    expect(effects()).toBe(1);
    const receipts = receiptsOf(document(await here.run(['calls', 'list', '--kind', 'call', '--json'])));
    expect(receipts).toMatchObject([
      { status: 'failed', errorCode: 'CONFLICT' },
      { status: 'ok', source: 'replay', attempts: 0 },
      { status: 'ok', source: 'replay', attempts: 0 },
      { status: 'failed', errorCode: 'CONFLICT' },
      { callId, status: 'failed', errorCode: 'DEADLINE_EXCEEDED', attempts: 1 },
    ]);
    expect(document(await here.run(['calls', 'list', '--kind', 'resolution', '--json']))).toMatchObject([
      { callId, verdict: 'executed' },
    ]);
  });

  it('is executed again after an operator resolved it as not executed, and is then replayed', async () => {
    const { here, call, callId, effects } = await giveUp('order-42');
    expect((await here.run(['calls', 'resolve', callId, '--not-executed'])).code).toBe(EXIT.ok);
    const again = await call('--json');
    expect(again.code).toBe(EXIT.ok);
    const made = document(again);
    expect(made).toMatchObject({ status: 'ok', provenance: { source: 'compute' } });
    expect(effects()).toBe(2);
    expect(document(await call('--json'))).toMatchObject({
      view: made.view,
      provenance: { source: 'replay', replayOf: made.callId },
    });
    expect(effects()).toBe(2);
    expect((await here.run(['calls', 'unresolved'])).code).toBe(EXIT.ok);
  });
});
