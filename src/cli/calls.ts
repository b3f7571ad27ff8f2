import { userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { redactionRulesOf } from '../app/config/load.ts';
import { resolveCall } from '../app/operations/resolve-call.ts';
import { plainLine } from '../base/text/plain-text.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { NotFoundError, UsageError } from './failure.ts';
import { type CommonOptions, type Session, withStores } from './session.ts';
import { waitForSignal } from './signals.ts';
import { print, printJson, printStderr, type Terminal } from './terminal.ts';

export interface ListOptions extends CommonOptions {
  readonly limit: number;
  readonly tool?: string;
  readonly principal?: string;
  readonly status?: Receipt['status'];
  readonly before?: string;
}

export interface ResolveOptions extends CommonOptions {
  readonly executed?: boolean;
  readonly notExecuted?: boolean;
  readonly message?: string;
  readonly reason?: string;
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
      printStderr(terminal, `More: toolgate calls list --before ${receipts.at(-1)!.callId}`);
    return EXIT.ok;
  });
}

/** `toolgate calls show <call>`: the whole receipt. */
export function callsShow(terminal: Terminal, callId: string, options: CommonOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const receipt = await gateway.receipts.get(callId);
    if (!receipt) throw new NotFoundError(`No receipt of ${callId}. See "toolgate calls list".`);
    printJson(terminal, receipt);
    return EXIT.ok;
  });
}

const LOOK_EVERY_MS = 500;
const PAGE = 200;

/** `toolgate calls tail`: receipts as they are written, by whichever gateway shares the store, until a signal. */
export function callsTail(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const stopping = waitForSignal();
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

/** Page by page back to the last one that was printed; oldest first. */
async function newerThan({ receipts }: Session['gateway'], newest: string | undefined): Promise<Receipt[]> {
  const fresh: Receipt[] = [];
  for (;;) {
    const before = fresh.at(-1)?.callId;
    const page = await receipts.list({ limit: PAGE, ...(before !== undefined && { before }) });
    const known = page.findIndex(({ callId }) => callId === newest);
    fresh.push(...(known < 0 ? page : page.slice(0, known)));
    if (known >= 0 || page.length < PAGE) return fresh.reverse();
  }
}

/** `toolgate calls unresolved`: calls whose outcome is unknown. */
export function callsUnresolved(terminal: Terminal, options: ListOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const calls = (await gateway.idempotency.listUnresolved(options.limit)).map(({ receipt }) => receipt);
    if (options.json) printJson(terminal, calls);
    else if (calls.length === 0) print(terminal, 'No unresolved calls.');
    else {
      for (const receipt of calls) print(terminal, lineOf(receipt));
      printStderr(
        terminal,
        'Check the target system, then run: toolgate calls resolve CALL --executed, or --not-executed',
      );
    }
    return calls.length > 0 ? EXIT.unhealthy : EXIT.ok;
  });
}

/** `toolgate calls resolve <call>`: records whether the call was executed. */
export function callsResolve(terminal: Terminal, callId: string, options: ResolveOptions): Promise<ExitCode> {
  const { executed = false, notExecuted = false, message, reason } = options;
  if (executed === notExecuted) throw new UsageError('Give either --executed or --not-executed.');
  return withStores(terminal, options, async ({ gateway, config }) => {
    const verdict = executed ? 'executed' : 'not_executed';
    const resolution = { callId, verdict, message, reason, by: operator() } as const;
    const receipt = await resolveCall(gateway, resolution, redactionRulesOf(config));
    if (!receipt)
      throw new NotFoundError(
        `Call ${callId} is not unresolved. List unresolved calls with "toolgate calls unresolved".`,
      );
    if (options.json) printJson(terminal, { callId, verdict, receipt: receipt.callId });
    else if (executed)
      print(terminal, 'Resolved as executed: later calls with its key get that as their result.');
    else print(terminal, 'Resolved as not executed: its key is free and the call can be made again.');
    return EXIT.ok;
  });
}

/** The account that runs this command: whoever it is can write to the store anyway. */
function operator(): string {
  try {
    return `operator:${userInfo().username}`;
  } catch {
    // In a container the account may have a number and no name.
    return `operator:${process.getuid?.() ?? 'unknown'}`;
  }
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
  // What a caller asked for and called itself may be any text.
  const [asked, asker] = [toolId ?? requested, principalId].map((text) => plainLine(text));
  return `${at}  ${callId}  ${how}${origin}  ${asked}  ${asker}  ${Math.round(durationMs)} ms`;
}
