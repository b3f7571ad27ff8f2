import { randomFillSync } from 'node:crypto';

/** W3C trace context of one call. */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
  /** The bits of the flags byte that have a meaning. */
  readonly flags: number;
  /** What those on the way before us have to say of the trace to each other. */
  readonly state?: string;
  /** That no caller sent it: then the parent id is only there to be passed on, and nobody has a span of it. */
  readonly isNew?: true;
}

/** A trace context as it travels: in `_meta` and in the headers of HTTP under the same names. */
export interface TraceFields {
  readonly traceparent: string;
  readonly tracestate?: string;
}

// A later version may append fields; version 00 may not, and ff is none (W3C Trace Context, «Versioning of traceparent»).
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
// As much of it as everybody has to pass on («tracestate Limits»); a part of it would be another one.
const TRACESTATE = /^[ -~]{1,512}$/;
const SAMPLED = 0b01;
/** Whoever does not know what a bit means sets it to zero. The second says that the trace id is random (level 2). */
const KNOWN_FLAGS = 0b11;

/** The caller's trace where it sent a valid one, else a new one. The state is nobody's without it. */
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

/** For both ids of a trace; drawn in advance, since asking for a few bytes costs as much as asking for many. */
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
