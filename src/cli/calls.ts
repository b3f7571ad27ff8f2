import { setTimeout as pause } from 'node:timers/promises';
import { redactionRulesOf } from '../app/config/load.ts';
import type { Gateway } from '../app/gateway.ts';
import { operatorId } from '../app/operations/operator.ts';
import { resolveCall } from '../app/operations/resolve-call.ts';
import { daysAgo } from '../app/operations/retention.ts';
import { plainLine } from '../base/text/plain-text.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import type { LogEntry, LogQuery, RecordedEntry } from '../contract/ports/receipt-log.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { NotFoundError, UsageError } from './failure.ts';
import { type CommonOptions, withStores } from './session.ts';
import { waitForSignal } from './signals.ts';
import { print, printJson, printStderr, type Terminal } from './terminal.ts';

export interface ListOptions extends CommonOptions {
  readonly limit: number;
  readonly kind?: LogEntry['kind'];
  readonly tool?: string;
  readonly principal?: string;
  readonly status?: Receipt['status'];
  readonly since?: Date;
  readonly until?: Date;
  readonly before?: number;
}

export interface PruneOptions extends CommonOptions {
  readonly before?: Date;
  readonly keepDays?: number;
  readonly dryRun?: boolean;
}

export interface ResolveOptions extends CommonOptions {
  readonly executed?: boolean;
  readonly notExecuted?: boolean;
  readonly message?: string;
  readonly reason?: string;
  readonly force?: boolean;
}

/** `toolgate calls list`: calls and operator actions, newest first. */
export function callsList(terminal: Terminal, options: ListOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const { limit, kind, tool, principal, status, since, until, before } = options;
    const entries = await gateway.receipts.list({
      limit,
      ...(kind !== undefined && { kind }),
      ...(tool !== undefined && parseTool(tool)),
      ...(principal !== undefined && { principalId: principal }),
      ...(status !== undefined && { status }),
      ...(since !== undefined && { since: since.toISOString() }),
      ...(until !== undefined && { until: until.toISOString() }),
      ...(before !== undefined && { before }),
    });
    if (options.json) printJson(terminal, entries);
    else for (const entry of entries) print(terminal, lineOf(entry));
    if (entries.length === limit && !options.json && !options.quiet)
      printStderr(terminal, `More: toolgate calls list --before ${entries.at(-1)!.seq}`);
    return EXIT.ok;
  });
}

/** An id names one version of a tool; `namespace:name` and `/namespace/name` name all of them. */
function parseTool(reference: string): Pick<LogQuery, 'toolId'> | Pick<LogQuery, 'toolName'> {
  const name = reference.replace(/^\/([^/]+)\//, '$1:');
  return /[@#]/.test(name) ? { toolId: name } : { toolName: name };
}

/** `toolgate calls show <call>`: every log entry of a call, oldest first. */
export function callsShow(terminal: Terminal, callId: string, options: CommonOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const entries = await gateway.receipts.entriesOf(callId);
    if (entries.length === 0)
      throw new NotFoundError(`The log has no entry of call ${callId}. See "toolgate calls list".`);
    printJson(terminal, entries);
    return EXIT.ok;
  });
}

const POLL_INTERVAL_MS = 500;
const PAGE_SIZE = 200;

/** `toolgate calls tail`: entries of every gateway on the same store as they are written, until a signal. */
export function callsTail(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway: { receipts } }) => {
    const stopping = waitForSignal();
    let isStopped = false;
    void stopping.then(() => {
      isStopped = true;
    });
    let last = await receipts.lastSeq();
    while (!isStopped) {
      const entries = await receipts.read(last, PAGE_SIZE);
      for (const entry of entries) {
        if (options.json) printJson(terminal, entry, 0);
        else print(terminal, lineOf(entry));
      }
      last = entries.at(-1)?.seq ?? last;
      if (entries.length < PAGE_SIZE) await Promise.race([pause(POLL_INTERVAL_MS), stopping]);
    }
    return EXIT.ok;
  });
}

/** `toolgate calls prune`: removes entries that are older than a time. */
export function callsPrune(terminal: Terminal, options: PruneOptions): Promise<ExitCode> {
  const { before, keepDays, dryRun = false } = options;
  if (before !== undefined && keepDays !== undefined)
    throw new UsageError('Give either --before or --keep-days.');
  if (before !== undefined && before.getTime() > Date.now())
    throw new UsageError('The time of --before is in the future.');
  return withStores(terminal, options, async ({ gateway, config }) => {
    const days = keepDays ?? config.settings.receipts.keepDays;
    if (before === undefined && days === 0)
      throw new UsageError('receipts.keepDays is 0, which keeps everything. Give --before or --keep-days.');
    const cutoff = before?.toISOString() ?? daysAgo(days);
    const request = { before: cutoff, principalId: operatorId(), dryRun };
    const removed = await gateway.receipts.prune(request);
    if (options.json) printJson(terminal, { before: cutoff, removed, dryRun });
    else {
      const entries = removed === 1 ? '1 entry' : `${removed} entries`;
      print(terminal, `${entries} before ${cutoff} ${dryRun ? 'would be removed' : 'removed'}.`);
    }
    return EXIT.ok;
  });
}

/** `toolgate calls unresolved`: calls whose outcome is unknown. */
export function callsUnresolved(terminal: Terminal, options: ListOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const { limit } = options;
    const found = (await gateway.idempotency.listUnresolved(limit + 1)).map(({ receipt }) => receipt);
    const calls = found.slice(0, limit);
    if (options.json) printJson(terminal, calls);
    else if (calls.length === 0) print(terminal, 'No unresolved calls.');
    else {
      for (const receipt of calls)
        print(terminal, `${callLine(receipt)}  ${plainLine(receipt.idempotencyKey ?? '')}`);
      if (found.length > limit)
        printStderr(terminal, `There are more than ${limit} unresolved calls. Show more with --limit.`);
      printStderr(
        terminal,
        'Check the target system, then run: toolgate calls resolve CALL --executed, or --not-executed',
      );
    }
    return calls.length > 0 ? EXIT.unhealthy : EXIT.ok;
  });
}

/** The id of the unresolved call with this id or idempotency key. Callers and tools may share a key. */
async function findUnresolved(
  { idempotency }: Pick<Gateway, 'idempotency'>,
  idOrKey: string,
): Promise<string> {
  const receipts = (await idempotency.listUnresolved(Number.MAX_SAFE_INTEGER)).map(({ receipt }) => receipt);
  if (receipts.some(({ callId }) => callId === idOrKey)) return idOrKey;
  const ids = receipts.filter(({ idempotencyKey }) => idempotencyKey === idOrKey).map(({ callId }) => callId);
  if (ids.length > 1)
    throw new UsageError(`Several unresolved calls have this key. Choose one by its id: ${ids.join(', ')}.`);
  return ids[0] ?? idOrKey;
}

/** `toolgate calls resolve <call>`: records whether the call was executed. */
export function callsResolve(
  terminal: Terminal,
  idOrKey: string,
  options: ResolveOptions,
): Promise<ExitCode> {
  const { executed = false, notExecuted = false, message, reason, force } = options;
  if (executed === notExecuted) throw new UsageError('Give either --executed or --not-executed.');
  return withStores(terminal, options, async ({ gateway, config }) => {
    const verdict = executed ? 'executed' : 'not_executed';
    const callId = await findUnresolved(gateway, idOrKey);
    const resolution = { callId, verdict, message, reason, force, principalId: operatorId() } as const;
    const entry = await resolveCall(gateway, resolution, redactionRulesOf(config));
    if (!entry)
      throw new NotFoundError(
        `Call ${callId} is not unresolved. List unresolved calls with "toolgate calls unresolved".`,
      );
    if (options.json) printJson(terminal, { callId, verdict, seq: entry.seq });
    else if (executed)
      print(terminal, 'Resolved as executed: later calls with its key get that as their result.');
    else print(terminal, 'Resolved as not executed: its key is free and the call can be made again.');
    return EXIT.ok;
  });
}

/** One line, whatever text callers and upstreams used for names. */
function lineOf(entry: RecordedEntry): string {
  switch (entry.kind) {
    case 'call':
      return callLine(entry.receipt);
    case 'intent':
      return fields(entry.at, entry.callId, 'intent', entry.toolId, entry.principalId);
    case 'resolution': {
      const verdict = entry.verdict === 'executed' ? 'resolved as executed' : 'resolved as not executed';
      const text = entry.reason === null ? verdict : `${verdict}: ${entry.reason}`;
      return fields(entry.at, entry.callId, text, entry.principalId);
    }
    case 'operator':
      return fields(entry.at, entry.action, JSON.stringify(entry.details), entry.principalId);
  }
}

function callLine(receipt: Receipt): string {
  const { at, callId, status, errorCode, toolId, requested, principalId, durationMs, source } = receipt;
  const outcome = errorCode === null ? status : `${status} ${errorCode}`;
  const origin = source === null || source === 'compute' ? '' : ` (${source})`;
  const duration = `${Math.round(durationMs)} ms`;
  return fields(at, callId, `${outcome}${origin}`, toolId ?? requested, principalId, duration);
}

function fields(...texts: readonly string[]): string {
  return texts.map((text) => plainLine(text)).join('  ');
}
