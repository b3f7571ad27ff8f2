import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ToolResult } from '../contract/content.ts';
import { Fault } from '../contract/errors.ts';
import type { CallError, Provenance } from '../contract/outcome.ts';
import type { Claim, Held } from '../contract/ports/claims.ts';
import { surelyReads } from '../contract/tool.ts';
import { ownerOf } from '../results/artifact.ts';
import type { AuthorizedCall } from './authorize.ts';
import { withinDeadline } from './deadline.ts';
import type { Gate } from './gate.ts';
import type { RequestedCall } from './request.ts';

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

/** Called right before the first byte leaves: from then on nobody can say that nothing happened. */
export type Intend = () => Promise<void>;

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
  act: (intend: Intend) => Promise<Kept>,
): Promise<Kept | Disbelieved> {
  const scope = scopeOf(call);
  if (scope === undefined) return act(async () => {});
  const isAtOnce = beginsAtOnce(gate, call);
  const earlier = await claim(gate, call, { scope, intended: isAtOnce });
  if (earlier) return earlier;
  const { callId, arrival } = call.journey;
  let intended = false;
  try {
    const kept = await act(async () => {
      intended ||= isAtOnce || (await gate.claims.intend(scope, callId));
      if (!intended) throw conflict('Another call took this key over. Send this one again.');
    });
    // What has happened is sealed when it has been checked.
    if (!intended) await keep(gate, call, () => gate.claims.release(scope, callId));
    return kept;
  } catch (thrown) {
    const isKnown = !intended || hadNoEffect(call, thrown) || arrival.idempotencyKey === undefined;
    await keep(gate, call, () =>
      isKnown ? gate.claims.release(scope, callId) : gate.claims.doubt(scope, callId),
    );
    throw thrown;
  }
}

/** Where nothing stands between the claim and the effect, one write is both the claim and the intent. */
function beginsAtOnce({ cache, upstream, guard }: Gate, { contract, journey }: AuthorizedCall): boolean {
  if (journey.arrival.idempotencyKey === undefined) return true;
  const { namespace } = contract;
  return !cache && upstream(namespace)?.state.kind === 'ready' && guard(namespace).hasRoom;
}

/** Under which key a call has its effect; none where it needs none. */
function scopeOf(call: AuthorizedCall): string | undefined {
  return keyForUpstream(call) ?? (call.contract.mutation === 'read_only' ? undefined : call.journey.callId);
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
    const held = await gate.claims.claim(wanted);
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

/** Keeps the result with its key for whoever asks again; a call without a key only leaves its intent. */
export function seal(gate: Gate, call: AuthorizedCall, kept: Kept | Disbelieved): void {
  const scope = scopeOf(call);
  const { callId, arrival } = call.journey;
  if (scope === undefined) return;
  call.journey.sealed = keep(gate, call, () =>
    arrival.idempotencyKey === undefined
      ? gate.claims.release(scope, callId)
      : gate.claims.seal(scope, callId, JSON.stringify(kept)),
  );
}

function hadNoEffect({ contract }: AuthorizedCall, thrown: unknown): boolean {
  return surelyReads(contract) || (thrown instanceof Fault && thrown.effect === 'nothing');
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

/** The effect has happened, or has not: the caller must learn which, even where it could not be written down. */
async function keep(
  { events }: Gate,
  { journey }: AuthorizedCall,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (cause) {
    events.publish({ type: 'trouble', callId: journey.callId, what: 'key not sealed', cause });
  }
}
