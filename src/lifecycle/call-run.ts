import type { CallHandles, CallRequest } from '../contract/call/call-request.ts';
import type { Outcome, Timing } from '../contract/call/outcome.ts';
import { PHASES, type Phase } from '../contract/call/phase.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import type { TraceContext } from '../contract/call/trace.ts';
import type { Fault } from '../contract/errors/fault.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import {
  type CallOrigin,
  type CallRecord,
  createCallRecord,
  createReceipt,
  endingOf,
  type ReceiptEnding,
  type RedactedRequest,
  redactRequest,
} from './call-record.ts';
import type { CallEvents } from './events.ts';

/** A call while this process runs it: its record, and beside it the handles, clocks and writes that cannot be stored. */
export class CallRun {
  readonly record: CallRecord;
  readonly handles: CallHandles;
  readonly #events: CallEvents;
  readonly #secrets: RuleSet;
  readonly #startedAt = performance.now();
  #redactedRequest: RedactedRequest | undefined;
  #lastWrite: Promise<void> | undefined;

  constructor(
    { request, handles, origin }: { request: CallRequest; handles: CallHandles; origin: CallOrigin },
    { events, secrets }: { events: CallEvents; secrets: RuleSet },
  ) {
    this.record = createCallRecord(request, origin);
    this.handles = handles;
    this.#events = events;
    this.#secrets = secrets;
    const { callId, startedAt } = this.record;
    events.publish({
      type: 'started',
      callId,
      request,
      spanId: spanIdOf(callId, undefined),
      at: startedAt,
    });
  }

  /** Runs one phase. Where a listener reads phases, it is published how this one went. */
  runPhase<State>(phase: Phase, run: () => State | Promise<State>): State | Promise<State> {
    this.record.phase = phase;
    return this.#events.arePhasesRead ? this.#publishPhase(phase, run) : run();
  }

  async #publishPhase<State>(phase: Phase, run: () => State | Promise<State>): Promise<State> {
    const { record } = this;
    const began = performance.now();
    let passed = false;
    try {
      const state = await run();
      passed = true;
      return state;
    } finally {
      this.#events.publish({
        type: 'phase',
        callId: record.callId,
        phase,
        spanId: spanIdOf(record.callId, phase),
        startedAt: record.startedAt + (began - this.#startedAt),
        durationMs: performance.now() - began,
        passed,
        contract: record.facts.contract,
      });
    }
  }

  reportRetry(attempt: number, { code }: Fault): void {
    this.#events.publish({ type: 'retried', callId: this.record.callId, attempt, code });
  }

  reportTrouble(what: string, cause: unknown): void {
    this.#events.publish({ type: 'trouble', callId: this.record.callId, what, cause });
  }

  /** The tool did what its contract rules out. */
  reportViolation(toolId: string, what: string): void {
    this.#events.publish({ type: 'violation', callId: this.record.callId, toolId, what });
  }

  /** The caller is not answered before this write has settled. */
  answerAfter(write: Promise<void>): void {
    this.#lastWrite = write;
  }

  /** The last write covers the earlier ones: they change the same key, in order. */
  get lastWrite(): Promise<void> | undefined {
    return this.#lastWrite;
  }

  /** The trace context for what the present phase calls. */
  get trace(): TraceContext {
    const { callId, phase, request } = this.record;
    const { trace } = request.caller;
    if (!this.#events.areTraced) return trace;
    const { traceId, flags, state } = trace;
    return { traceId, parentId: spanIdOf(callId, phase), flags, ...(state !== undefined && { state }) };
  }

  get timing(): Timing {
    return { durationMs: Math.round((performance.now() - this.#startedAt) * 1_000) / 1_000 };
  }

  receipt(outcome: Outcome): Receipt {
    return this.#createReceipt(endingOf(outcome));
  }

  /** The receipt to write should this process die before the call ends. */
  crashReceipt(): Receipt {
    return this.#createReceipt({ status: 'unknown', errorCode: null, ...this.timing });
  }

  #createReceipt(ending: ReceiptEnding): Receipt {
    this.#redactedRequest ??= redactRequest(this.record.request, this.#secrets);
    return createReceipt(this.record, ending, this.#redactedRequest);
  }
}

/**
 * Sixty random bits of the call id and a digit for the phase. The span exporter and the upstream request so use the same id
 * without a new random number, and no id is zero.
 */
function spanIdOf(callId: string, phase: Phase | undefined): string {
  const digit = phase === undefined ? 1 : 2 + PHASES.indexOf(phase);
  return `${callId.slice(24)}${callId.slice(15, 18)}${digit}`;
}
