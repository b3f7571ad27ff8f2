import { randomUUID } from 'node:crypto';

/** W3C trace context of one call. */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
  readonly sampled: boolean;
  /** That no caller sent it: then the parent id is only there to be passed on, and nobody has a span of it. */
  readonly isNew?: true;
}

// A later version may append fields; version 00 may not, and ff is none (W3C Trace Context, «Versioning of traceparent»).
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** The caller's trace where it sent a valid one, else a new one. */
export function traceFrom(traceparent: unknown): TraceContext {
  const match = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null;
  const [, traceId, parentId, flags] = match ?? [];
  if (traceId && parentId && !/^0+$/.test(traceId) && !/^0+$/.test(parentId)) {
    return { traceId, parentId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
  }
  return { traceId: freshId(), parentId: freshId().slice(0, 16), sampled: true, isNew: true };
}

/** UUIDs are drawn from a pool, which makes two of them half as dear as bytes asked for one by one. */
function freshId(): string {
  return randomUUID().replaceAll('-', '');
}

export function traceparent({ traceId, parentId, sampled }: TraceContext): string {
  return `00-${traceId}-${parentId}-${sampled ? '01' : '00'}`;
}
