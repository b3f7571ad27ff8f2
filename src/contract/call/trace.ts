import { randomFillSync } from 'node:crypto';

/** W3C trace context of one call. */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
  /** The known bits of the flags byte. */
  readonly flags: number;
  /** The `tracestate` that tracing systems before us added. */
  readonly state?: string;
  /** The caller sent no trace. The parent id is then only passed on: no span has it. */
  readonly isNew?: true;
}

/** A trace context on the wire: `_meta` and HTTP headers use the same names. */
export interface TraceFields {
  readonly traceparent: string;
  readonly tracestate?: string;
}

// A later version may append fields; version 00 may not, and ff is invalid (W3C Trace Context, "Versioning of traceparent").
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
// The length that every participant must pass on ("tracestate Limits"); cutting a longer one would change its meaning.
const TRACESTATE = /^[ -~]{1,512}$/;
const SAMPLED = 0b01;
/** Unknown bits must be set to zero. The second bit states that the trace id is random (level 2). */
const KNOWN_FLAGS = 0b11;

/** The caller's trace where it sent a valid one, else a new one. A trace state without a valid trace is dropped. */
export function traceFrom(traceparent: unknown, tracestate?: unknown): TraceContext {
  const match = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null;
  const [, traceId, parentId, flags] = match ?? [];
  if (traceId && parentId && !/^0+$/.test(traceId) && !/^0+$/.test(parentId)) {
    return {
      traceId,
      parentId,
      flags: Number.parseInt(flags!, 16) & KNOWN_FLAGS,
      ...(typeof tracestate === 'string' && TRACESTATE.test(tracestate) && { state: tracestate }),
    };
  }
  const fresh = randomHex();
  return { traceId: fresh.slice(0, 32), parentId: fresh.slice(32), flags: SAMPLED, isNew: true };
}

const BYTES = 24;
const pool = Buffer.alloc(128 * BYTES);
let drawn = pool.length;

/** Random hex for both ids of a trace. Drawn in advance, because a draw of few bytes costs as much as one of many. */
function randomHex(): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += BYTES;
  return pool.toString('hex', drawn - BYTES, drawn);
}

export function isSampled({ flags }: TraceContext): boolean {
  return (flags & SAMPLED) === SAMPLED;
}

export function traceFields({ traceId, parentId, flags, state }: TraceContext): TraceFields {
  return {
    traceparent: `00-${traceId}-${parentId}-${flags.toString(16).padStart(2, '0')}`,
    ...(state !== undefined && { tracestate: state }),
  };
}
