import type { ToolUse } from '../../contract/verification.ts';
import type { AuthorizedCall } from '../authorize.ts';
import { boundsOf } from '../deadline.ts';
import type { Gate } from '../gate.ts';
import { argumentsOf, dataOf, type Known } from './bindings.ts';

/** How a look or an undoing went. */
export type Used =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly code: string };

/**
 * Calls another tool on behalf of a call under way: by the same road as any other, with the caller's authority and never
 * more, within the caller's time, and with a receipt of its own.
 */
export async function useTool(gate: Gate, call: AuthorizedCall, use: ToolUse, known: Known): Promise<Used> {
  const { principal, sessionId } = call.journey.arrival;
  const { deadline, signal } = boundsOf(call);
  const outcome = await gate.call({
    principal,
    tool: use.tool,
    args: argumentsOf(use.args, known),
    surface: 'verification',
    trace: call.journey.trace,
    deadline,
    ...(sessionId !== undefined && { sessionId }),
    ...(signal && { signal }),
  });
  if (outcome.status === 'failed') return { ok: false, code: outcome.error.code };
  if (outcome.status !== 'ok' || outcome.view.kind !== 'whole') return { ok: false, code: outcome.status };
  const { content, structured } = outcome.view;
  return {
    ok: true,
    answer: dataOf({ content, isError: false, ...(structured !== undefined && { structured }) }),
  };
}
