import type { Receipt } from '../contract/call/receipt.ts';
import type { TraceContext } from '../contract/call/trace.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { CallEvent, CallListener } from '../lifecycle/events.ts';

export type PhaseEvent = Extract<CallEvent, { type: 'phase' }>;

/** An event between the start and the end of a call, other than the end of a phase. */
export interface Incident {
  /** Epoch milliseconds, with fractions. */
  readonly at: number;
  readonly event: Extract<CallEvent, { type: 'retried' | 'trouble' | 'violation' }>;
}

/** A finished call as telemetry needs it. Arguments are left out so that queued calls do not retain them. */
export interface CompletedCall {
  readonly trace: TraceContext;
  readonly hasKey: boolean;
  readonly spanId: string;
  /** Epoch milliseconds, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly phases: readonly PhaseEvent[];
  readonly incidents: readonly Incident[];
  /** Undefined where the caller may not see the tool that it named. */
  readonly contract: ToolContract | undefined;
  readonly receipt: Receipt;
  readonly cause: unknown;
}

interface InFlightCall {
  readonly started: Extract<CallEvent, { type: 'started' }>;
  /** Reading of the monotonic clock, so that a change of the system clock does not change a duration. */
  readonly startTick: number;
  readonly phases: PhaseEvent[];
  readonly incidents: Incident[];
}

/** Collects the events of each call and passes on the completed call. */
export function observeCalls(onCompleted: (call: CompletedCall) => void): CallListener {
  const inFlight = new Map<string, InFlightCall>();
  const timeOf = ({ started, startTick }: InFlightCall): number => started.at + performance.now() - startTick;
  return (event) => {
    if (event.type === 'started') {
      inFlight.set(event.callId, { started: event, startTick: performance.now(), phases: [], incidents: [] });
      return;
    }
    const callId = event.type === 'ended' ? event.receipt.callId : event.callId;
    const call = inFlight.get(callId);
    if (!call) return;
    if (event.type === 'phase') call.phases.push(event);
    else if (event.type !== 'ended') call.incidents.push({ at: timeOf(call), event });
    else {
      inFlight.delete(callId);
      const { started, phases, incidents } = call;
      onCompleted({
        trace: started.request.caller.trace,
        hasKey: started.request.idempotencyKey !== undefined,
        spanId: started.spanId,
        startedAt: started.at,
        endedAt: timeOf(call),
        phases,
        incidents,
        contract: phases.at(-1)?.contract,
        receipt: event.receipt,
        cause: event.cause,
      });
    }
  };
}
