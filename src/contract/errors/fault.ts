import { describeError } from './catalogue.ts';
import type { ErrorCode, VariantsOf } from './codes.ts';

/** What is known of the effect of a failed call: it certainly did not happen, it may have happened, or it happened. */
export type Effect = 'none' | 'unknown' | 'done';

export interface FaultOptions<Code extends ErrorCode> {
  readonly variant?: VariantsOf<Code> | undefined;
  /** Public: sent to the caller, redacted. Never the value of an argument; text of an upstream only where a model needs it. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs?: number | undefined;
  /** `unknown`, the default, wherever neither `none` nor `done` is certain. */
  readonly effect?: Effect | undefined;
  /** Private: written to the log only. */
  readonly cause?: unknown;
}

/**
 * A failure with a code of the catalogue. `message` is the public text: one line, written in this repository. The text
 * of an upstream or a library stays in `cause`.
 */
export class Fault<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'Fault';
  readonly code: Code;
  readonly variant: VariantsOf<Code> | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs: number | undefined;
  readonly effect: Effect;

  constructor(code: Code, message: string, options: FaultOptions<Code> = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.variant = options.variant;
    this.details = options.details;
    this.retryAfterMs = options.retryAfterMs;
    this.effect = options.effect ?? 'unknown';
  }

  get retryable(): boolean {
    return describeError(this.code, this.variant).retryable;
  }

  /** The same failure, with more exact knowledge of the effect. */
  with({ effect }: Pick<Fault, 'effect'>): Fault<Code> {
    if (effect === this.effect) return this;
    const { code, message, variant, details, retryAfterMs, cause } = this;
    return new Fault(code, message, { variant, details, retryAfterMs, cause, effect });
  }
}
