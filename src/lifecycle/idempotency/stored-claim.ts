import { Fault } from '../../contract/errors/fault.ts';
import type { UpstreamAnswer } from '../../contract/ports/upstream.ts';
import { isTrustedReadOnly } from '../../contract/tool/tool.ts';
import { writeWithTimeout } from '../bounded-write.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall } from '../states.ts';
import { storeUnavailable } from '../store-unavailable.ts';
import { toCallError } from '../to-outcome.ts';
import { cancelledBy } from '../upstream/deadline.ts';
import type { Claim } from './claim.ts';
import { withGracePeriod } from './late-answer.ts';
import type { RejectedResult, StoredResult } from './stored-result.ts';

export interface ClaimOptions {
  readonly scope: string;
  /** The claim was written together with the intent. */
  readonly hasIntent: boolean;
}

/** The claim of a write, or of any call with a key. */
export class StoredClaim implements Claim {
  readonly #deps: CallDependencies;
  readonly #call: AuthorizedCall;
  readonly #options: ClaimOptions;
  readonly #answers: Promise<UpstreamAnswer>[] = [];
  #isIntended = false;

  constructor(deps: CallDependencies, call: AuthorizedCall, options: ClaimOptions) {
    this.#deps = deps;
    this.#call = call;
    this.#options = options;
  }

  async recordIntent(): Promise<void> {
    if (!this.#isIntended) this.#isIntended = await this.#intend();
    // A process that was paused for longer than its lease may have lost the key, before this send or between two of them.
    if (this.#isIntended && (await this.#askStore('confirm'))) return;
    throw new Fault('CONFLICT', 'Another call took over this idempotency key. Send this call again.', {
      effect: 'none',
    });
  }

  track(answer: Promise<UpstreamAnswer>): void {
    this.#answers.push(answer);
  }

  abandonSignal(signal: AbortSignal): AbortSignal {
    return mayBeUnknown(this.#call) ? withGracePeriod(signal) : signal;
  }

  complete(stored: StoredResult | RejectedResult): void {
    const { run, record } = this.#call;
    const { scope } = this.#options;
    const isKeyed = record.request.idempotencyKey !== undefined;
    run.answerAfter(
      isKeyed
        ? this.#write(() => this.#deps.idempotency.complete(scope, record.callId, serialize(stored)))
        : this.#release(),
    );
  }

  async abandon(error: unknown): Promise<void> {
    const { record } = this.#call;
    if (!this.#isIntended || !mayBeUnknown(this.#call) || hadNoEffect(error)) return this.#release();
    await this.#write(() => this.#deps.idempotency.markUnknown(this.#options.scope, record.callId));
    void this.#awaitLateAnswer();
  }

  async #intend(): Promise<boolean> {
    const { handles } = this.#call;
    if (handles.signal?.aborted) throw cancelledBy(handles.signal);
    if (this.#deps.failClosed) await logIntent(this.#deps, this.#call);
    return this.#options.hasIntent || this.#askStore('recordIntent');
  }

  async #askStore(question: 'recordIntent' | 'confirm'): Promise<boolean> {
    const { record, effectKey } = this.#call;
    try {
      return await this.#deps.idempotency[question](this.#options.scope, record.callId);
    } catch (cause) {
      throw storeUnavailable(cause, { hasKey: effectKey !== undefined, effect: 'none' });
    }
  }

  /** An answer after the deadline is too late for the caller, and still resolves the unknown outcome. */
  async #awaitLateAnswer(): Promise<void> {
    const { contract, record } = this.#call;
    const settled = await Promise.allSettled(this.#answers);
    const answered = settled.find((one) => one.status === 'fulfilled');
    // Postconditions would be checked against a state that has changed since.
    if (answered && !contract.verification) {
      const executedAt = new Date().toISOString();
      this.complete({ result: answered.value.result, executedAt, source: 'compute' });
    } else if (settled.every((one) => one.status === 'rejected' && hadNoEffect(one.reason))) {
      await this.#release();
    } else {
      await this.#write(() => this.#deps.idempotency.stopWaiting(this.#options.scope, record.callId));
    }
  }

  #release(): Promise<void> {
    return this.#write(() => this.#deps.idempotency.release(this.#options.scope, this.#call.record.callId));
  }

  #write(write: () => Promise<void>): Promise<void> {
    const { callId } = this.#call.record;
    return writeWithTimeout(this.#deps.events, { callId, what: 'idempotency key not updated' }, write);
  }
}

/** A write without an entry in the log must not happen. */
async function logIntent(
  { receipts }: CallDependencies,
  { record, contract, input, effectKey }: AuthorizedCall,
): Promise<void> {
  if (contract.mutation === 'read_only') return;
  const { caller } = record.request;
  try {
    await receipts.append({
      kind: 'intent',
      at: new Date().toISOString(),
      callId: record.callId,
      traceId: caller.trace.traceId,
      principalId: caller.principal.id,
      toolId: contract.id,
      toolDigest: contract.digest,
      sentHash: input.sentHash,
    });
  } catch (cause) {
    throw storeUnavailable(cause, { hasKey: effectKey !== undefined, effect: 'none' });
  }
}

/** Whether another call can ask for the outcome, and the outcome matters. */
function mayBeUnknown({ contract, record }: AuthorizedCall): boolean {
  return !isTrustedReadOnly(contract) && record.request.idempotencyKey !== undefined;
}

function hadNoEffect(error: unknown): boolean {
  return error instanceof Fault && error.effect === 'none';
}

/** A result that cannot be serialized is replaced by an error which states that the tool ran. */
function serialize(stored: StoredResult | RejectedResult): string {
  try {
    return JSON.stringify(stored);
  } catch {
    const { executedAt, source } = stored;
    const message = 'The tool ran, but its result is nested too deep or too large to be stored.';
    const rejection = toCallError(new Fault('UPSTREAM_FAILURE', message));
    return JSON.stringify({ executedAt, source, rejection });
  }
}
