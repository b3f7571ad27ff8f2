import { setTimeout as pause } from 'node:timers/promises';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Claim, ClaimResult } from '../../contract/ports/idempotency-store.ts';
import { isTrustedReadOnly } from '../../contract/tool/tool.ts';
import { writeWithTimeout } from '../bounded-write.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall } from '../states.ts';
import { toCallError } from '../to-outcome.ts';
import { cancelledByCaller, raceDeadline, withDeadline } from '../upstream/deadline.ts';
import { idempotencyKeyFor } from './key.ts';
import { withGracePeriod } from './late-answer.ts';
import type { RejectedResult, StoredResult } from './stored-result.ts';

/** One attempt to have the effect. */
export interface Attempt {
  /** Right before the first byte leaves: when the intent is on disk, nobody can say any more that nothing happened. */
  readonly intend: () => Promise<void>;
  /** Until it fires the answer is worth having, though it may come too late for the caller. */
  readonly abandonSignal: AbortSignal;
}

export type AskWorld = (
  signal: AbortSignal,
  ask: (attempt: Attempt) => Promise<ToolResult>,
) => Promise<ToolResult>;

const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 250;

/**
 * Lets an effect happen once under its key, whoever asks and however often: the key is claimed before the intent, the
 * intent is durable before the effect, and the result is sealed with the key. Writes without a key are written down too,
 * so that a crash in the middle of one is known; reads without a key need none of it.
 */
export async function withIdempotency(
  deps: CallDependencies,
  call: AuthorizedCall,
  act: (askWorld: AskWorld) => Promise<StoredResult>,
): Promise<StoredResult | RejectedResult> {
  const scope = scopeOf(call);
  if (scope === undefined)
    return act((signal, ask) => ask({ intend: async () => {}, abandonSignal: signal }));
  const isAtOnce = beginsAtOnce(deps, call);
  const earlier = await claim(deps, call, { scope, hasIntent: isAtOnce });
  if (earlier) return earlier;
  const asked: Asked = { intended: false, answers: [] };
  try {
    const kept = await act(asking(deps, call, { scope, isAtOnce, asked }));
    // What has just happened is sealed when it has been checked; what is remembered is kept with this key too.
    if (kept.source !== 'compute') complete(deps, call, kept);
    return kept;
  } catch (thrown) {
    if (!asked.intended || !mayBeUnknown(call) || hadNoEffect(thrown)) await release(deps, call, scope);
    else {
      await ended(deps, call, () => deps.idempotency.markUnknown(scope, call.record.callId));
      void awaitLateAnswer(deps, call, scope, asked);
    }
    throw thrown;
  }
}

interface Asked {
  intended: boolean;
  /** One for each attempt. */
  readonly answers: Promise<ToolResult>[];
}

interface Asking {
  readonly scope: string;
  /** The claim was the intent. */
  readonly isAtOnce: boolean;
  readonly asked: Asked;
}

function asking(deps: CallDependencies, call: AuthorizedCall, { scope, isAtOnce, asked }: Asking): AskWorld {
  const { callId, request } = call.record;
  const intend = async (): Promise<void> => {
    if (asked.intended) return;
    if (request.signal?.aborted) throw cancelledByCaller();
    asked.intended = isAtOnce || (await deps.idempotency.recordIntent(scope, callId));
    if (!asked.intended) throw conflict('Another call took this key over. Send this one again.');
  };
  return (signal, ask) => {
    const answer = ask({ intend, abandonSignal: mayBeUnknown(call) ? withGracePeriod(signal) : signal });
    asked.answers.push(answer);
    return answer;
  };
}

/** What comes too late is no answer for the caller, and still tells how the call ended: what was unknown heals by itself. */
async function awaitLateAnswer(
  deps: CallDependencies,
  call: AuthorizedCall,
  scope: string,
  { answers }: Asked,
): Promise<void> {
  const heard = await Promise.allSettled(answers);
  const answered = heard.find((one) => one.status === 'fulfilled');
  if (answered) {
    const executedAt = new Date().toISOString();
    const kept: StoredResult = { result: answered.value, executedAt, source: 'compute' };
    // Checks would look at a world that has gone on since.
    if (!call.contract.verification) complete(deps, call, kept);
  } else if (heard.every((one) => one.status === 'rejected' && hadNoEffect(one.reason))) {
    await release(deps, call, scope);
  }
}

/** Where nothing stands between the claim and the effect, one write is both the claim and the intent. */
function beginsAtOnce(
  { cache, upstream, guard }: CallDependencies,
  { contract, record }: AuthorizedCall,
): boolean {
  if (record.request.idempotencyKey === undefined) return true;
  const { namespace } = contract;
  return !cache && upstream(namespace)?.state.kind === 'ready' && guard(namespace).hasFreeSlot;
}

/** As much of a digest as tells any two keys apart: a store looks every key up, and writes it three times. */
const SCOPE_LENGTH = 32;

/** Under which key a call has its effect; none where it needs none. */
function scopeOf(call: AuthorizedCall): string | undefined {
  const own = call.contract.mutation === 'read_only' ? undefined : call.record.callId;
  return idempotencyKeyFor(call)?.slice(0, SCOPE_LENGTH) ?? own;
}

/** Nothing where the key is this call's now; the earlier result where there is one. */
async function claim(
  deps: CallDependencies,
  call: AuthorizedCall,
  { scope, hasIntent }: Pick<Claim, 'scope' | 'hasIntent'>,
): Promise<StoredResult | RejectedResult | undefined> {
  const { record, contract, deadline } = call;
  const wanted = {
    scope,
    callId: record.callId,
    inputHash: record.inputHash!,
    windowMs: contract.idempotency.windowMs,
    intended: hasIntent ?? false,
    crashReceipt: record.crashReceipt(),
  };
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(2 * wait, LAST_LOOK_MS)) {
    const held = await claimInTime(deps, call, wanted);
    if (held.state === 'acquired') return undefined;
    refuseOtherArguments(held, wanted.inputHash);
    if (held.state === 'done') return replayed(held);
    if (held.state === 'unknown') throw unknown(held.callId);
    if (deps.onInFlight === 'conflict' || Date.now() + wait >= deadline) {
      throw conflict('A call with this key is under way. Send this one again later.');
    }
    await withDeadline({ deadline, signal: record.request.signal }, (signal) =>
      pause(wait, undefined, { signal }),
    );
  }
}

/** A claim that failed may stand all the same, and one that comes too late stands for nobody: both are given back. */
async function claimInTime(
  deps: CallDependencies,
  call: AuthorizedCall,
  wanted: Claim,
): Promise<ClaimResult> {
  const { deadline, record } = call;
  let claimed: Promise<ClaimResult> | undefined;
  const isMine = ({ state }: ClaimResult): boolean => state === 'acquired';
  try {
    return await raceDeadline({ deadline, signal: record.request.signal }, () => {
      claimed = deps.idempotency.claim(wanted);
      return claimed;
    });
  } catch (thrown) {
    void claimed
      ?.then(isMine, () => true)
      .then((mayStand) => (mayStand ? release(deps, call, wanted.scope) : undefined));
    throw thrown;
  }
}

/** Keeps the result with its key for whoever asks again; a call without a key only leaves its intent. */
export function complete(
  deps: CallDependencies,
  call: AuthorizedCall,
  kept: StoredResult | RejectedResult,
): void {
  const scope = scopeOf(call);
  const { record } = call;
  if (scope === undefined) return;
  record.stored =
    record.request.idempotencyKey === undefined
      ? release(deps, call, scope)
      : ended(deps, call, () => deps.idempotency.complete(scope, record.callId, textOf(kept)));
}

/** Where nobody can write the answer down, whoever asks again is told that there was one. */
function textOf(kept: StoredResult | RejectedResult): string {
  try {
    return JSON.stringify(kept);
  } catch {
    const { executedAt, source } = kept;
    const message = 'The tool ran, and its answer is nested too deep or too large to be kept.';
    return JSON.stringify({
      executedAt,
      source,
      disbelieved: toCallError(new Fault('UPSTREAM_FAILURE', message)),
    });
  }
}

function release(deps: CallDependencies, call: AuthorizedCall, scope: string): Promise<void> {
  return ended(deps, call, () => deps.idempotency.release(scope, call.record.callId));
}

/** Writes down how a call ended. */
function ended(
  deps: CallDependencies,
  { record }: AuthorizedCall,
  write: () => Promise<void>,
): Promise<void> {
  return writeWithTimeout(deps, { callId: record.callId, what: 'key not sealed' }, write);
}

/** Whether anybody can ask how it ended, and it matters. */
function mayBeUnknown({ contract, record }: AuthorizedCall): boolean {
  return !isTrustedReadOnly(contract) && record.request.idempotencyKey !== undefined;
}

function hadNoEffect(thrown: unknown): boolean {
  return thrown instanceof Fault && thrown.effect === 'none';
}

function refuseOtherArguments(
  { inputHash }: Exclude<ClaimResult, { state: 'acquired' }>,
  mine: string,
): void {
  if (inputHash === mine) return;
  throw new Fault('CONFLICT', 'This key was used before, with other arguments. Use a new key.', {
    variant: 'other_arguments',
    effect: 'none',
  });
}

function replayed({
  result,
  callId,
}: Extract<ClaimResult, { state: 'done' }>): StoredResult | RejectedResult {
  return { ...(JSON.parse(result) as StoredResult | RejectedResult), source: 'replay', replayOf: callId };
}

function unknown(callId: string): Fault {
  return new Fault(
    'CONFLICT',
    'An earlier call with this key may have had its effect and may not: nobody can know. Look, then have it settled.',
    { variant: 'unknown', details: { unresolved_call: callId } },
  );
}

function conflict(message: string): Fault {
  return new Fault('CONFLICT', message, { effect: 'none' });
}
