import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Machine, machineWith, type Run } from '../../test/cli.ts';
import { fileWith } from '../../test/folder.ts';
import { linesOf } from '../../test/gateway.ts';
import { stdioServer } from '../../test/servers/spawn.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import type { Stores } from '../contract/ports/stores.ts';
import { openSqliteStores } from '../stores/sqlite/open.ts';
import { sampleReceipt } from '../toolkit/store-cases/samples.ts';
import { EXIT } from './exit-codes.ts';

// One test starts several processes, one after another.
vi.setConfig({ testTimeout: 240_000 });

/** A machine whose only upstream cannot even be started: these commands read what is stored. */
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

function write(here: Machine, ...receipts: readonly Receipt[]): Promise<void> {
  return inStores(here, async (stores) => {
    await Promise.all(receipts.map((receipt) => stores.receipts.append(receipt)));
  });
}

/** Calls that died between intent and result: the store is closed with their keys in its hands. */
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

const callIdsIn = (receipts: readonly Receipt[]): string[] => receipts.map(({ callId }) => callId);

describe('toolgate calls list', () => {
  const RECEIPTS: readonly Receipt[] = [
    sampleReceipt({ callId: 'one', status: 'ok', errorCode: null, source: 'compute' }),
    sampleReceipt({ callId: 'two', principalId: 'ann' }),
    sampleReceipt({ callId: 'three', toolId: null, requested: '/files/gone', source: null }),
    sampleReceipt({ callId: 'four', status: 'ok', errorCode: null, source: 'replay' }),
  ];

  it('gives a line a call, newest first, and as JSON the receipts', async () => {
    const here = machine();
    await write(here, ...RECEIPTS);
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
    expect(document(json)).toEqual(RECEIPTS.toReversed());
  });

  it('of nothing is nothing', async () => {
    const here = machine();
    expect(await here.run(['calls', 'list'])).toMatchObject({ code: EXIT.ok, stdout: '', stderr: '' });
    expect(document(await here.run(['calls', 'list', '--json']))).toEqual([]);
  });

  it('can be narrowed, and goes on where a page ended', async () => {
    const here = machine();
    await write(here, ...RECEIPTS);
    const listed = async (...options: string[]): Promise<string[]> =>
      callIdsIn(document(await here.run(['calls', 'list', '--json', ...options])));
    expect(await listed('--status', 'ok')).toEqual(['four', 'one']);
    expect(await listed('--principal', 'ann')).toEqual(['two']);
    expect(await listed('--tool', 'files:read_file@1.2.0', '--status', 'failed')).toEqual(['two']);
    const page = await here.run(['calls', 'list', '--limit', '2']);
    expect(page.stdout.split('\n')).toHaveLength(3);
    expect(page.stderr).toBe('More: toolgate calls list --before three\n');
    expect(await listed('--limit', '2', '--before', 'three')).toEqual(['two', 'one']);
    expect((await here.run(['calls', 'list', '-n', '2', '--quiet'])).stderr).toBe('');
  });

  it('gives a line a call whatever was asked for: nothing in it commands the terminal', async () => {
    const here = machine();
    const requested = 'no\nsuch\u001b[2J\u001b]0;title\u0007 tool\u202e';
    await write(
      here,
      sampleReceipt({ callId: 'one', toolId: null, requested, principalId: 'a\u001b[31mnn' }),
    );
    const { stdout } = await here.run(['calls', 'list']);
    expect(stdout).toMatch(/^\S+ {2}one {2}failed APPROVAL_REQUIRED {2}no such tool {2}ann {2}13 ms\n$/);
  });

  it('refuses a limit that is no number', async () => {
    const { code, stdout } = await machine().run(['calls', 'list', '--limit', 'many']);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: '' });
  });
});

describe('toolgate calls show', () => {
  it('gives the whole receipt', async () => {
    const here = machine();
    const receipt = sampleReceipt({ callId: 'one' });
    await write(here, receipt);
    for (const options of [[], ['--json']]) {
      const shown = await here.run(['calls', 'show', 'one', ...options]);
      expect(shown.code).toBe(EXIT.ok);
      expect(document(shown)).toEqual(receipt);
    }
  });

  it('of a call that is not there is refused', async () => {
    const here = machine();
    const plain = await here.run(['calls', 'show', 'nobody']);
    expect(plain).toMatchObject({ code: EXIT.refused, stdout: '' });
    expect(plain.stderr).toContain('nobody');
    const json = await here.run(['calls', 'show', 'nobody', '--json']);
    expect(json.code).toBe(EXIT.refused);
    expect(document(json)).toMatchObject({ error: { message: expect.stringContaining('nobody') } });
    expect((await here.run(['calls', 'show'])).code).toBe(EXIT.usage);
  });
});

describe('toolgate calls tail', () => {
  it.each([
    ['lines', []],
    ['JSON, one document a line', ['--json']],
  ])('gives what others write from then on, in its order, until a signal: %s', async (_, options) => {
    const here = machine();
    await write(here, sampleReceipt({ callId: 'before' }));
    const { child, ended, output } = here.start(['calls', 'tail', ...options]);
    const lines = (): string[] => output.stdout.split('\n').filter((line) => line !== '');
    // Nothing tells from outside when it has begun to look, so the first is written until it is seen.
    let tries = 0;
    await expect
      .poll(
        async () => {
          await write(here, sampleReceipt({ callId: `try-${tries++}` }));
          return lines().length;
        },
        { timeout: 60_000, interval: 300 },
      )
      .toBeGreaterThan(0);
    // More than are read at a time, so that several pages come between two looks.
    const burst = Array.from({ length: 450 }, (_, n) => `burst-${n}`);
    await write(here, ...[...burst, 'last'].map((callId) => sampleReceipt({ callId })));
    await expect.poll(() => output.stdout, { timeout: 60_000 }).toContain('last');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: EXIT.ok, signal: null, stderr: '' });
    expect(output.stdout).not.toContain('before');
    const seen = lines().map((line) =>
      options.length > 0 ? (JSON.parse(line) as Receipt).callId : line.split('  ')[1]!,
    );
    const written = [...Array.from({ length: tries }, (_, n) => `try-${n}`), ...burst, 'last'];
    // Every one since the first that it saw, once.
    expect(seen).toEqual(written.slice(written.indexOf(seen[0]!)));
  });
});

describe('toolgate calls unresolved', () => {
  it('says that there is nothing to do', async () => {
    const here = machine();
    expect(await here.run(['calls', 'unresolved'])).toMatchObject({
      code: EXIT.ok,
      stdout: 'Nothing is unresolved.\n',
      stderr: '',
    });
    const json = await here.run(['calls', 'unresolved', '--json']);
    expect(json.code).toBe(EXIT.ok);
    expect(document(json)).toEqual([]);
  });

  it('lists what nobody knows the end of, oldest first, and a script can tell by the exit code', async () => {
    const here = machine();
    await lose(here, 'one', 'two');
    const plain = await here.run(['calls', 'unresolved']);
    expect(plain.code).toBe(EXIT.unhealthy);
    expect(plain.stdout).toMatch(/^\S+ {2}one {2}unknown .+\n\S+ {2}two {2}unknown .+\n$/);
    expect(plain.stderr).toContain('toolgate calls settle');
    const json = await here.run(['calls', 'unresolved', '--json', '--limit', '1']);
    expect(json.code).toBe(EXIT.unhealthy);
    expect(document(json)).toMatchObject([{ callId: 'one', status: 'unknown', idempotencyKey: 'order-41' }]);
  });
});

describe('toolgate calls settle', () => {
  it('says how a call ended, once', async () => {
    const here = machine();
    await lose(here, 'one', 'two', 'three');
    expect(await here.run(['calls', 'settle', 'one', '--happened'])).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringMatching(/^Settled: whoever asks again/),
      stderr: '',
    });
    expect(await here.run(['calls', 'settle', 'two', '--did-not-happen'])).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringMatching(/^Settled: its key is free/),
    });
    const json = await here.run(['calls', 'settle', 'three', '--did-not-happen', '--json']);
    const settled = document(json);
    expect(settled).toEqual({ callId: 'three', verdict: 'not_executed', receipt: expect.any(String) });
    expect(document(await here.run(['calls', 'show', settled.receipt]))).toMatchObject({
      principalId: expect.stringMatching(/^operator:./),
      requested: 'settle three: its effect did not happen',
    });
    for (const callId of ['one', 'two']) {
      expect(await here.run(['calls', 'settle', callId, '--happened'])).toMatchObject({
        code: EXIT.refused,
        stdout: '',
      });
    }
    expect((await here.run(['calls', 'unresolved'])).code).toBe(EXIT.ok);
  });

  it('leaves the receipt of the call, and one of its own that says who, when, what and why', async () => {
    const here = machine();
    await lose(here, 'one');
    const why = 'There is no invoice, and this is a key: ghp_0123456789abcdefghijABCDEFGHIJ012345';
    await here.run(['calls', 'settle', 'one', '--did-not-happen', '--why', why]);
    const [settlement, call, ...rest] = document(await here.run(['calls', 'list', '--json']));
    expect(rest).toEqual([]);
    expect(call).toMatchObject({ callId: 'one', status: 'unknown' });
    expect(settlement).toMatchObject({
      traceId: call.traceId,
      idempotencyKey: call.idempotencyKey,
      surface: 'settle',
      status: 'ok',
      toolId: null,
      at: expect.stringMatching(/^20\d\d-/),
      principalId: expect.stringMatching(/^operator:./),
    });
    const [{ text }] = settlement.decision.reasons;
    expect(text).toMatch(/^operator:.+ says that its effect did not happen: There is no invoice/);
    expect(text).not.toContain('ghp_');
  });

  it.each([
    ['neither', []],
    ['both', ['--happened', '--did-not-happen']],
  ])('wants to be told what was found out, and not %s', async (_, verdict) => {
    const here = machine();
    await lose(here, 'one');
    const plain = await here.run(['calls', 'settle', 'one', ...verdict]);
    expect(plain.code).not.toBe(EXIT.ok);
    expect(plain.stdout).toBe('');
    expect(plain.stderr).toContain('--happened or --did-not-happen');
    // Nothing was settled.
    expect((await here.run(['calls', 'unresolved'])).code).toBe(EXIT.unhealthy);
  });

  it('of a call that is not there, that is done or that is under way is refused', async () => {
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
      await receipts.append(sampleReceipt({ callId: 'done', status: 'ok' }));
      for (const callId of ['nobody', 'done', 'running']) {
        const json = await here.run(['calls', 'settle', callId, '--happened', '--json']);
        expect(json.code).toBe(EXIT.refused);
        expect(document(json)).toMatchObject({ error: { message: expect.stringContaining(callId) } });
      }
    });
  });
});

describe('a keyed call that was given up while it was under way', () => {
  const ARGS = '{"ms":2500}';
  const GIVE_UP = ['--timeout', '1000'];

  /** Calls a slow tool with a key, gives up too soon, and finds the call among the unresolved. */
  async function givenUp(key: string) {
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
    expect(refused.stderr).toMatch(/^CONFLICT: .+nobody can know/);
    expect(refused.stderr).toContain(`"unresolved_call": "${callId}"`);
    expect(effects()).toBe(1);
    return { here, call, callId: callId as string, effects };
  }

  it('is answered with what an operator found: it happened', async () => {
    const { here, call, callId, effects } = await givenUp('order-41');
    const settled = await here.run(['calls', 'settle', callId, '--happened', '--note', 'Invoice 7 is paid.']);
    expect(settled.code).toBe(EXIT.ok);
    const plain = await call();
    expect(plain).toMatchObject({ code: EXIT.ok, stderr: '' });
    expect(plain.stdout).toBe(
      'This call was settled by an operator: its effect happened. What the tool answered is not known. Invoice 7 is paid.\n',
    );
    expect(document(await call('--json'))).toMatchObject({
      status: 'ok',
      provenance: { source: 'replay', replayOf: callId },
    });
    const other = await here.run(['call', '/shop/deaf', '{"ms":1}', '--key', 'order-41', '--json']);
    expect(document(other)).toMatchObject({ error: { code: 'CONFLICT', variant: 'other_arguments' } });
    expect(effects()).toBe(1);
    expect(document(await here.run(['calls', 'list', '--json']))).toMatchObject([
      { status: 'failed', errorCode: 'CONFLICT' },
      { status: 'ok', source: 'replay', attempts: 0 },
      { status: 'ok', source: 'replay', attempts: 0 },
      { surface: 'settle', requested: `settle ${callId}: its effect happened` },
      { status: 'failed', errorCode: 'CONFLICT' },
      { callId, status: 'failed', errorCode: 'DEADLINE_EXCEEDED', attempts: 1 },
    ]);
  });

  it('is made again where an operator found that it did not happen, and is then replayed', async () => {
    const { here, call, callId, effects } = await givenUp('order-42');
    expect((await here.run(['calls', 'settle', callId, '--did-not-happen'])).code).toBe(EXIT.ok);
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
