import { describeError, type ErrorCode, type VariantsOf } from './catalogue.ts';

export interface FaultOptions<Code extends ErrorCode> {
  readonly variant?: VariantsOf<Code> | undefined;
  /** Public: goes to the caller. Never the value of an argument, never foreign text. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs?: number | undefined;
  /** `nothing` where the call cannot have had an effect; whoever does not know says nothing of it. */
  readonly effect?: 'none' | 'unknown' | undefined;
  /** Private: goes to the log only. */
  readonly cause?: unknown;
}

/**
 * A refusal in the catalogue's words. `message` is the public text and is written by us, in one line; what an upstream
 * or a library said stays in `cause`.
 */
export class Fault<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'Fault';
  readonly code: Code;
  readonly variant: VariantsOf<Code> | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs: number | undefined;
  readonly effect: 'none' | 'unknown';

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

  /** The same refusal, by one who knows more of what became of the effect. */
  with({ effect }: Pick<Fault, 'effect'>): Fault<Code> {
    if (effect === this.effect) return this;
    const { code, message, variant, details, retryAfterMs, cause } = this;
    return new Fault(code, message, { variant, details, retryAfterMs, cause, effect });
  }
}
