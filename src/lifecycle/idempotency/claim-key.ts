import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../contract/errors/fault.ts';
import type { ClaimRequest, ClaimResult } from '../../contract/ports/idempotency-store.ts';
import { isTrustedReadOnly } from '../../contract/tool/tool.ts';
import { writeWithTimeout } from '../bounded-write.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall } from '../states.ts';
import { storeUnavailable } from '../store-unavailable.ts';
import { raceDeadline, withDeadline } from '../upstream/deadline.ts';
import { type Claim, NO_CLAIM } from './claim.ts';
import { StoredClaim } from './stored-claim.ts';
import type { RejectedResult, StoredResult } from './stored-result.ts';

export type ClaimedKey =
  | { readonly state: 'acquired'; readonly claim: Claim }
  | { readonly state: 'replayed'; readonly stored: StoredResult | RejectedResult };

const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 250;
/** Enough of the digest to distinguish any two keys. Short, because a store looks up every key and writes it three times. */
const SCOPE_LENGTH = 32;

/**
 * Lets an effect happen once under its key, however many calls carry it: the key is claimed before the intent, the intent
 * is durable before the effect, and the result is stored under the key. A write without a key is claimed too, so that a
 * crash in the middle of it is known; a read without a key needs no claim.
 */
export async function claimKey(deps: CallDependencies, call: AuthorizedCall): Promise<ClaimedKey> {
  const scope = scopeOf(call);
  if (scope === undefined) return { state: 'acquired', claim: NO_CLAIM };
  const hasIntent = canIntendAtOnce(deps, call);
  const wanted: ClaimRequest = {
    scope,
    callId: call.record.callId,
    inputHash: call.input.inputHash,
    windowMs: call.contract.idempotency.windowMs,
    hasIntent,
    isSynced: call.effectKey !== undefined && !isTrustedReadOnly(call.contract),
    crashReceipt: call.run.crashReceipt(),
  };
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(2 * wait, MAX_POLL_MS)) {
    const result = await claimBeforeDeadline(deps, call, wanted);
    if (result.state === 'acquired') {
      return { state: 'acquired', claim: new StoredClaim(deps, call, { scope, hasIntent }) };
    }
    refuseOtherArguments(result, wanted.inputHash);
    if (result.state === 'done') return { state: 'replayed', stored: replay(result) };
    if (result.state === 'unknown') throw unknownOutcome(result.callId);
    await waitForOtherCall(deps, call, wait);
  }
}

/** Undefined where the call needs no claim. */
function scopeOf({ contract, record, effectKey }: AuthorizedCall): string | undefined {
  const ownScope = contract.mutation === 'read_only' ? undefined : record.callId;
  return effectKey?.slice(0, SCOPE_LENGTH) ?? ownScope;
}

/** Where nothing can come between the claim and the effect, one write is both the claim and the intent. */
function canIntendAtOnce(
  { cache, upstream, guard }: CallDependencies,
  { contract: { namespace }, effectKey }: AuthorizedCall,
): boolean {
  if (effectKey === undefined) return true;
  return !cache && upstream(namespace)?.state.kind === 'ready' && guard(namespace).hasFreeSlot;
}

/** A claim that was rejected may still have been written, and one that arrives after the deadline has no owner: release both. */
async function claimBeforeDeadline(
  deps: CallDependencies,
  call: AuthorizedCall,
  wanted: ClaimRequest,
): Promise<ClaimResult> {
  const { deadline, handles } = call;
  let claimed: Promise<ClaimResult> | undefined;
  try {
    return await raceDeadline({ deadline, signal: handles.signal }, () => {
      claimed = deps.idempotency.claim(wanted);
      return claimed;
    });
  } catch (error) {
    const release = (): Promise<void> =>
      writeWithTimeout(deps.events, { callId: wanted.callId, what: 'idempotency key not released' }, () =>
        deps.idempotency.release(wanted.scope, wanted.callId),
      );
    void claimed
      ?.then(
        ({ state }) => state === 'acquired',
        () => true,
      )
      .then((mayBeWritten) => (mayBeWritten ? release() : undefined));
    throw claimed === undefined && error instanceof Fault
      ? error.with({ effect: 'none' })
      : claimFailed(error, call);
  }
}

/** A store that fails or does not answer is no failure of the tool. An earlier call may have used the same key. */
function claimFailed(error: unknown, { effectKey }: AuthorizedCall): Fault {
  if (error instanceof Fault && error.code !== 'DEADLINE_EXCEEDED') return error.with({ effect: 'none' });
  const hasKey = effectKey !== undefined;
  return storeUnavailable(error, { hasKey, effect: hasKey ? 'unknown' : 'none' });
}

async function waitForOtherCall(
  { onInFlight }: CallDependencies,
  { deadline, handles: { signal } }: AuthorizedCall,
  ms: number,
): Promise<void> {
  if (onInFlight === 'conflict' || Date.now() + ms >= deadline) {
    throw new Fault(
      'CONFLICT',
      'A call with this idempotency key is in flight. Send this call again later with the same key.',
    );
  }
  await withDeadline({ deadline, signal }, (abort) => pause(ms, undefined, { signal: abort }));
}

function refuseOtherArguments(
  { inputHash }: Exclude<ClaimResult, { state: 'acquired' }>,
  ownHash: string,
): void {
  if (inputHash === ownHash) return;
  throw new Fault('CONFLICT', 'This idempotency key was used before with other arguments. Use a new key.', {
    variant: 'other_arguments',
    effect: 'none',
  });
}

function replay({ result, callId }: Extract<ClaimResult, { state: 'done' }>): StoredResult | RejectedResult {
  return { ...(JSON.parse(result) as StoredResult | RejectedResult), source: 'replay', replayOf: callId };
}

function unknownOutcome(callId: string): Fault {
  return new Fault(
    'CONFLICT',
    `The outcome of an earlier call with this idempotency key is unknown. Check the target system, then resolve call ${callId} with "toolgate calls resolve".`,
    { variant: 'unknown', details: { unresolved_call: callId } },
  );
}
