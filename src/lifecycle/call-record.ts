import type { ArgumentRepair } from '../catalog/arguments/repair.ts';
import { newCallId } from '../contract/call/call-id.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import type { Decision } from '../contract/call/decision.ts';
import type { Outcome, Provenance, Timing } from '../contract/call/outcome.ts';
import { PHASES, type Phase } from '../contract/call/phase.ts';
import type { Receipt } from '../contract/call/receipt.ts';
import type { TraceContext } from '../contract/call/trace.ts';
import type { Fault } from '../contract/errors/fault.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { redact } from '../redaction/redact.ts';
import type { RuleSet } from '../redaction/rule-set.ts';
import type { CallEvents } from './events.ts';

const MAX_REQUESTED_LENGTH = 300;
/** Longer than what is kept of it: a secret that is cut is not known as one. */
const MAX_READ_LENGTH = 8_192;

/** The one record of a call under way: what each phase has learned of it, and how far it came. */
export class CallRecord {
  readonly callId: string = newCallId();
  readonly request: CallRequest;
  readonly #events: CallEvents;
  readonly #secrets: RuleSet;
  readonly #arrivedAt = Date.now();
  readonly #at = new Date(this.#arrivedAt).toISOString();
  readonly #startedAt = performance.now();
  #phase: Phase = 'request';
  #saidBefore: Pick<Receipt, 'requested' | 'idempotencyKey'> | undefined;
  contract: ToolContract | undefined;
  inputHash: string | undefined;
  effectKey: string | undefined;
  argumentRepairs: readonly ArgumentRepair[] = [];
  decision: Decision | undefined;
  provenance: Provenance | undefined;
  /** Resolves when the result is kept with its key. The caller is not answered before. */
  stored: Promise<void> = Promise.resolve();
  /** How often the upstream was asked. */
  attempts = 0;

  constructor(arrival: CallRequest, events: CallEvents, secrets: RuleSet) {
    this.request = arrival;
    this.#events = events;
    this.#secrets = secrets;
    events.publish({
      type: 'started',
      callId: this.callId,
      arrival,
      spanId: spanIdOf(this.callId, undefined),
      at: this.#arrivedAt,
    });
  }

  /** The call is tried once more, for the reason that the last attempt gave. */
  reportRetry(attempt: number, { code }: Fault): void {
    this.#events.publish({ type: 'retried', callId: this.callId, attempt, code });
  }

  /** What goes along with whatever the present phase calls. */
  get trace(): TraceContext {
    const { trace } = this.request;
    if (!this.#events.areTraced) return trace;
    const { traceId, flags, state } = trace;
    const parentId = spanIdOf(this.callId, this.#phase);
    return { traceId, parentId, flags, ...(state !== undefined && { state }) };
  }

  /** Takes one step and tells how it went. */
  async runPhase<State>(phase: Phase, step: () => State | Promise<State>): Promise<State> {
    this.#phase = phase;
    const began = performance.now();
    let passed = false;
    try {
      const state = await step();
      passed = true;
      return state;
    } finally {
      this.#events.publish({
        type: 'phase',
        callId: this.callId,
        phase,
        spanId: spanIdOf(this.callId, phase),
        startedAt: this.#arrivedAt + (began - this.#startedAt),
        durationMs: performance.now() - began,
        passed,
        contract: this.contract,
      });
    }
  }

  get timing(): Timing {
    return { durationMs: Math.round((performance.now() - this.#startedAt) * 1_000) / 1_000 };
  }

  receipt(outcome: Outcome): Receipt {
    return this.#receiptSaying({
      status: outcome.status,
      errorCode: outcome.status === 'failed' ? outcome.error.code : null,
      durationMs: outcome.timing.durationMs,
    });
  }

  /** What is to be said of this call should its process die before it can say more. */
  crashReceipt(): Receipt {
    return this.#receiptSaying({ status: 'unknown', errorCode: null, durationMs: this.timing.durationMs });
  }

  /** What a caller says may be anything, a secret in the wrong place included. */
  get #said(): Pick<Receipt, 'requested' | 'idempotencyKey'> {
    const { tool, idempotencyKey } = this.request;
    const withoutSecrets = (text: string): string => redact(text, this.#secrets).text;
    this.#saidBefore ??= {
      requested: withoutSecrets(tool.slice(0, MAX_READ_LENGTH)).slice(0, MAX_REQUESTED_LENGTH),
      idempotencyKey: idempotencyKey === undefined ? null : withoutSecrets(idempotencyKey),
    };
    return this.#saidBefore;
  }

  #receiptSaying({
    status,
    errorCode,
    durationMs,
  }: Pick<Receipt, 'status' | 'errorCode' | 'durationMs'>): Receipt {
    const { request, contract } = this;
    const { requested, idempotencyKey } = this.#said;
    return {
      callId: this.callId,
      traceId: request.trace.traceId,
      at: this.#at,
      principalId: request.principal.id,
      surface: request.surface,
      requested,
      toolId: contract?.id ?? null,
      toolDigest: contract?.digest ?? null,
      mutation: contract?.mutation ?? null,
      inputHash: this.inputHash ?? null,
      decision: this.decision ?? null,
      status,
      errorCode,
      phase: this.#phase,
      durationMs,
      idempotencyKey,
      source: this.provenance?.source ?? null,
      attempts: this.attempts,
    };
  }
}

/**
 * Sixty random bits of the call's own id and a digit for the step: seven ids for one draw, the same for whoever makes
 * spans and for whoever calls an upstream, and none of them zero.
 */
function spanIdOf(callId: string, phase: Phase | undefined): string {
  const step = phase === undefined ? 1 : 2 + PHASES.indexOf(phase);
  return `${callId.slice(24)}${callId.slice(15, 18)}${step}`;
}
