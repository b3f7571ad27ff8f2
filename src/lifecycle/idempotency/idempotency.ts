import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallError, Provenance } from '../../contract/call/outcome.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Claim, Held } from '../../contract/ports/idempotency-store.ts';
import { surelyReads } from '../../contract/tool/tool.ts';
import { ownerOf } from '../../results/artifacts/artifact.ts';
import { writtenDown } from '../bounded-write.ts';
import type { Gate } from '../dependencies.ts';
import type { AuthorizedCall } from '../phases/authorize.ts';
import type { RequestedCall } from '../phases/request.ts';
import { callError } from '../to-outcome.ts';
import { cancelledByCaller, unlessLate, withinDeadline } from '../upstream/deadline.ts';
import { patienceBeyond } from './late-answer.ts';

interface Origin {
  readonly executedAt: string;
  readonly source: Provenance['source'];
  /** The call that had the effect, where it is not this one. */
  readonly replayOf?: string;
}

/** A result as it is kept for whoever asks again with the same key. */
export interface Kept extends Origin {
  readonly result: ToolResult;
  /** An operator's word for it, and not the tool's: no schema fits it. */
  readonly settled?: true;
}

/** Kept in place of a result that was not believed: why not, and what became of the effect. */
export interface Disbelieved extends Origin {
  readonly disbelieved: CallError;
}

/** One attempt to have the effect. */
export interface Attempt {
  /** Right before the first byte leaves: when the intent is on disk, nobody can say any more that nothing happened. */
  readonly intend: () => Promise<void>;
  /** Until it fires the answer is worth having, though it may come too late for the caller. */
  readonly givenUp: AbortSignal;
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
export async function once(
  gate: Gate,
  call: AuthorizedCall,
  act: (askWorld: AskWorld) => Promise<Kept>,
): Promise<Kept | Disbelieved> {
  const scope = scopeOf(call);
  if (scope === undefined) return act((signal, ask) => ask({ intend: async () => {}, givenUp: signal }));
  const isAtOnce = beginsAtOnce(gate, call);
  const earlier = await claim(gate, call, { scope, intended: isAtOnce });
  if (earlier) return earlier;
  const asked: Asked = { intended: false, answers: [] };
  try {
    const kept = await act(asking(gate, call, { scope, isAtOnce, asked }));
    // What has just happened is sealed when it has been checked; what is remembered is kept with this key too.
    if (kept.source !== 'compute') seal(gate, call, kept);
    return kept;
  } catch (thrown) {
    if (!asked.intended || !mayBeUnknown(call) || hadNoEffect(thrown)) await release(gate, call, scope);
    else {
      await ended(gate, call, () => gate.claims.doubt(scope, call.journey.callId));
      void hearOut(gate, call, scope, asked);
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

function asking(gate: Gate, call: AuthorizedCall, { scope, isAtOnce, asked }: Asking): AskWorld {
  const { callId, arrival } = call.journey;
  const intend = async (): Promise<void> => {
    if (asked.intended) return;
    if (arrival.signal?.aborted) throw cancelledByCaller();
    asked.intended = isAtOnce || (await gate.claims.intend(scope, callId));
    if (!asked.intended) throw conflict('Another call took this key over. Send this one again.');
  };
  return (signal, ask) => {
    const answer = ask({ intend, givenUp: mayBeUnknown(call) ? patienceBeyond(signal) : signal });
    asked.answers.push(answer);
    return answer;
  };
}

/** What comes too late is no answer for the caller, and still tells how the call ended: what was unknown heals by itself. */
async function hearOut(gate: Gate, call: AuthorizedCall, scope: string, { answers }: Asked): Promise<void> {
  const heard = await Promise.allSettled(answers);
  const answered = heard.find((one) => one.status === 'fulfilled');
  if (answered) {
    const executedAt = new Date().toISOString();
    const kept: Kept = { result: answered.value, executedAt, source: 'compute' };
    // Checks would look at a world that has gone on since.
    if (!call.contract.verification) seal(gate, call, kept);
  } else if (heard.every((one) => one.status === 'rejected' && hadNoEffect(one.reason))) {
    await release(gate, call, scope);
  }
}

/** Where nothing stands between the claim and the effect, one write is both the claim and the intent. */
function beginsAtOnce({ cache, upstream, guard }: Gate, { contract, journey }: AuthorizedCall): boolean {
  if (journey.arrival.idempotencyKey === undefined) return true;
  const { namespace } = contract;
  return !cache && upstream(namespace)?.state.kind === 'ready' && guard(namespace).hasRoom;
}

/** As much of a digest as tells any two keys apart: a store looks every key up, and writes it three times. */
const SCOPE_LENGTH = 32;

/** Under which key a call has its effect; none where it needs none. */
function scopeOf(call: AuthorizedCall): string | undefined {
  const own = call.contract.mutation === 'read_only' ? undefined : call.journey.callId;
  return keyForUpstream(call)?.slice(0, SCOPE_LENGTH) ?? own;
}

/**
 * The same for every call that must have its effect together with this one, and for no other: whose key, and for which
 * tool. It outlives restarts and new schemas.
 */
export function keyForUpstream({ contract, journey }: RequestedCall): string | undefined {
  const { idempotencyKey, sessionId, principal } = journey.arrival;
  if (idempotencyKey === undefined) return undefined;
  const tool = `${contract.namespace}:${contract.name}`;
  journey.effectKey ??= hash(
    'sha256',
    JSON.stringify([ownerOf(principal), sessionId ?? null, tool, idempotencyKey]),
  );
  return journey.effectKey;
}

/** Nothing where the key is this call's now; the earlier result where there is one. */
async function claim(
  gate: Gate,
  call: AuthorizedCall,
  { scope, intended }: Pick<Claim, 'scope' | 'intended'>,
): Promise<Kept | Disbelieved | undefined> {
  const { journey, contract, deadline } = call;
  const wanted = {
    scope,
    callId: journey.callId,
    inputHash: journey.inputHash!,
    windowMs: contract.idempotency.windowMs,
    intended: intended ?? false,
    ifLost: journey.receiptIfLost(),
  };
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(2 * wait, LAST_LOOK_MS)) {
    const held = await claimInTime(gate, call, wanted);
    if (held.state === 'mine') return undefined;
    refuseOtherArguments(held, wanted.inputHash);
    if (held.state === 'done') return replayed(held);
    if (held.state === 'unknown') throw unknown(held.callId);
    if (gate.whileRunning === 'conflict' || Date.now() + wait >= deadline) {
      throw conflict('A call with this key is under way. Send this one again later.');
    }
    await withinDeadline({ deadline, signal: journey.arrival.signal }, (signal) =>
      pause(wait, undefined, { signal }),
    );
  }
}

/** A claim that failed may stand all the same, and one that comes too late stands for nobody: both are given back. */
async function claimInTime(gate: Gate, call: AuthorizedCall, wanted: Claim): Promise<Held> {
  const { deadline, journey } = call;
  let claimed: Promise<Held> | undefined;
  const isMine = ({ state }: Held): boolean => state === 'mine';
  try {
    return await unlessLate({ deadline, signal: journey.arrival.signal }, () => {
      claimed = gate.claims.claim(wanted);
      return claimed;
    });
  } catch (thrown) {
    void claimed
      ?.then(isMine, () => true)
      .then((mayStand) => (mayStand ? release(gate, call, wanted.scope) : undefined));
    throw thrown;
  }
}

/** Keeps the result with its key for whoever asks again; a call without a key only leaves its intent. */
export function seal(gate: Gate, call: AuthorizedCall, kept: Kept | Disbelieved): void {
  const scope = scopeOf(call);
  const { journey } = call;
  if (scope === undefined) return;
  journey.sealed =
    journey.arrival.idempotencyKey === undefined
      ? release(gate, call, scope)
      : ended(gate, call, () => gate.claims.seal(scope, journey.callId, textOf(kept)));
}

/** Where nobody can write the answer down, whoever asks again is told that there was one. */
function textOf(kept: Kept | Disbelieved): string {
  try {
    return JSON.stringify(kept);
  } catch {
    const { executedAt, source } = kept;
    const message = 'The tool ran, and its answer is nested too deep or too large to be kept.';
    return JSON.stringify({
      executedAt,
      source,
      disbelieved: callError(new Fault('UPSTREAM_FAILURE', message)),
    });
  }
}

function release(gate: Gate, call: AuthorizedCall, scope: string): Promise<void> {
  return ended(gate, call, () => gate.claims.release(scope, call.journey.callId));
}

/** Writes down how a call ended. */
function ended(gate: Gate, { journey }: AuthorizedCall, write: () => Promise<void>): Promise<void> {
  return writtenDown(gate, { callId: journey.callId, what: 'key not sealed' }, write);
}

/** Whether anybody can ask how it ended, and it matters. */
function mayBeUnknown({ contract, journey }: AuthorizedCall): boolean {
  return !surelyReads(contract) && journey.arrival.idempotencyKey !== undefined;
}

function hadNoEffect(thrown: unknown): boolean {
  return thrown instanceof Fault && thrown.effect === 'nothing';
}

function refuseOtherArguments({ inputHash }: Exclude<Held, { state: 'mine' }>, mine: string): void {
  if (inputHash === mine) return;
  throw new Fault('CONFLICT', 'This key was used before, with other arguments. Use a new key.', {
    variant: 'other_arguments',
    effect: 'nothing',
  });
}

function replayed({ result, callId }: Extract<Held, { state: 'done' }>): Kept | Disbelieved {
  return { ...(JSON.parse(result) as Kept | Disbelieved), source: 'replay', replayOf: callId };
}

function unknown(callId: string): Fault {
  return new Fault(
    'CONFLICT',
    'An earlier call with this key may have had its effect and may not: nobody can know. Look, then have it settled.',
    { variant: 'unknown', details: { unresolved_call: callId } },
  );
}

function conflict(message: string): Fault {
  return new Fault('CONFLICT', message, { effect: 'nothing' });
}
