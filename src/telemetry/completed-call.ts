import type { Receipt } from '../contract/call/receipt.ts';
import type { TraceContext } from '../contract/call/trace.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { CallEvent, CallListener } from '../lifecycle/events.ts';

export type Step = Extract<CallEvent, { type: 'phase' }>;

/** Something that happened in the middle of a call. */
export interface Incident {
  /** Epoch milliseconds, with fractions. */
  readonly at: number;
  readonly event: Extract<CallEvent, { type: 'retried' | 'trouble' | 'violation' }>;
}

/** A whole call, as it was heard of. Its arguments are none of it: whoever keeps it for a while would keep them. */
export interface CompletedCall {
  readonly trace: TraceContext;
  readonly hasKey: boolean;
  readonly spanId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly steps: readonly Step[];
  readonly incidents: readonly Incident[];
  /** Where the caller may see the tool that it named. */
  readonly contract: ToolContract | undefined;
  readonly receipt: Receipt;
  readonly cause: unknown;
}

interface InFlightCall {
  readonly arrived: Extract<CallEvent, { type: 'started' }>;
  /** By the clock that is never set back. */
  readonly began: number;
  readonly steps: Step[];
  readonly incidents: Incident[];
}

/** Gathers what is published of each call, and hands it on when the call has ended. */
export function observeCalls(ended: (call: CompletedCall) => void): CallListener {
  const underWay = new Map<string, InFlightCall>();
  const timeOf = ({ arrived, began }: InFlightCall): number => arrived.at + performance.now() - began;
  return (event) => {
    if (event.type === 'started') {
      underWay.set(event.callId, { arrived: event, began: performance.now(), steps: [], incidents: [] });
      return;
    }
    const callId = event.type === 'ended' ? event.receipt.callId : event.callId;
    const call = underWay.get(callId);
    if (!call) return;
    if (event.type === 'phase') call.steps.push(event);
    else if (event.type !== 'ended') call.incidents.push({ at: timeOf(call), event });
    else {
      underWay.delete(callId);
      const { arrived, steps, incidents } = call;
      ended({
        trace: arrived.request.caller.trace,
        hasKey: arrived.request.idempotencyKey !== undefined,
        spanId: arrived.spanId,
        startedAt: arrived.at,
        endedAt: timeOf(call),
        steps,
        incidents,
        contract: steps.at(-1)?.contract,
        receipt: event.receipt,
        cause: event.cause,
      });
    }
  };
}
