import { setTimeout as pause } from 'node:timers/promises';
import { settledResult } from '../app/settle.ts';
import type { Receipt } from '../contract/receipt.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { NotThere, UsageError } from './failure.ts';
import { type CommonOptions, type Session, withStores } from './session.ts';
import { untilSignal } from './signals.ts';
import { print, printJson, say, type Terminal } from './terminal.ts';

export interface ListOptions extends CommonOptions {
  readonly limit: number;
  readonly tool?: string;
  readonly principal?: string;
  readonly status?: Receipt['status'];
  readonly before?: string;
}

export interface SettleOptions extends CommonOptions {
  readonly happened?: boolean;
  readonly didNotHappen?: boolean;
  readonly note?: string;
}

/** `toolgate calls list`: what was asked and what became of it, newest first. */
export function callsList(terminal: Terminal, options: ListOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const { limit, tool, principal, status, before } = options;
    const receipts = await gateway.receipts.list({
      limit,
      ...(tool !== undefined && { toolId: tool }),
      ...(principal !== undefined && { principalId: principal }),
      ...(status !== undefined && { status }),
      ...(before !== undefined && { before }),
    });
    if (options.json) printJson(terminal, receipts);
    else for (const receipt of receipts) print(terminal, lineOf(receipt));
    if (receipts.length === limit && !options.json && !options.quiet)
      say(terminal, `More: toolgate calls list --before ${receipts.at(-1)!.callId}`);
    return EXIT.ok;
  });
}

/** `toolgate calls show <call>`: the whole receipt. */
export function callsShow(terminal: Terminal, callId: string, options: CommonOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const receipt = await gateway.receipts.get(callId);
    if (!receipt) throw new NotThere(`No receipt of ${callId}. See "toolgate calls list".`);
    printJson(terminal, receipt);
    return EXIT.ok;
  });
}

const LOOK_EVERY_MS = 500;
const CATCH_UP = 200;

/** `toolgate calls tail`: receipts as they are written, by whichever gateway shares the store, until a signal. */
export function callsTail(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const stopping = untilSignal();
    let newest = (await gateway.receipts.list({ limit: 1 }))[0]?.callId;
    let stopped = false;
    void stopping.then(() => {
      stopped = true;
    });
    while (!stopped) {
      const fresh = await newerThan(gateway, newest);
      for (const receipt of fresh)
        if (options.json) print(terminal, JSON.stringify(receipt));
        else print(terminal, lineOf(receipt));
      newest = fresh.at(-1)?.callId ?? newest;
      await Promise.race([pause(LOOK_EVERY_MS), stopping]);
    }
    return EXIT.ok;
  });
}

async function newerThan({ receipts }: Session['gateway'], newest: string | undefined): Promise<Receipt[]> {
  const latest = await receipts.list({ limit: CATCH_UP });
  const known = latest.findIndex(({ callId }) => callId === newest);
  return latest.slice(0, known < 0 ? latest.length : known).reverse();
}

/** `toolgate calls unresolved`: calls that may have had their effect and may not. */
export function callsUnresolved(terminal: Terminal, options: ListOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const calls = (await gateway.claims.unresolved(options.limit)).map(({ receipt }) => receipt);
    if (options.json) printJson(terminal, calls);
    else if (calls.length === 0) print(terminal, 'Nothing is unresolved.');
    else {
      for (const receipt of calls) print(terminal, lineOf(receipt));
      say(terminal, 'Look at the world, then: toolgate calls settle CALL --happened, or --did-not-happen');
    }
    return calls.length > 0 ? EXIT.unhealthy : EXIT.ok;
  });
}

/** `toolgate calls settle <call>`: an operator looked, and says how it ended. */
export function callsSettle(terminal: Terminal, callId: string, options: SettleOptions): Promise<ExitCode> {
  const { happened = false, didNotHappen = false, note } = options;
  if (happened === didNotHappen)
    throw new UsageError('Say what you found out: --happened or --did-not-happen.');
  return withStores(terminal, options, async ({ gateway }) => {
    const verdict = happened ? 'happened' : 'did_not_happen';
    const settled = await gateway.claims.settle(callId, verdict, settledResult(callId, note));
    if (!settled)
      throw new NotThere(`${callId} does not wait to be settled. See "toolgate calls unresolved".`);
    if (options.json) printJson(terminal, { callId, verdict });
    else if (happened) print(terminal, 'Settled: whoever asks again with its key is told that it happened.');
    else print(terminal, 'Settled: its key is free, and the call can be made again.');
    return EXIT.ok;
  });
}

function lineOf({
  at,
  callId,
  status,
  errorCode,
  toolId,
  requested,
  principalId,
  durationMs,
  source,
}: Receipt): string {
  const how = errorCode === null ? status : `${status} ${errorCode}`;
  const origin = source === null || source === 'compute' ? '' : ` (${source})`;
  return `${at}  ${callId}  ${how}${origin}  ${toolId ?? requested}  ${principalId}  ${Math.round(durationMs)} ms`;
}
