import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { CALL_KEYS } from '../../contract/call-keys.ts';
import type { ToolResult } from '../../contract/content.ts';
import type { UpstreamCall } from '../../contract/ports/upstream.ts';
import { traceFields } from '../../contract/trace.ts';
import { contentPartIn } from './content-part.ts';

// Read loosely and checked below: the SDK's full schemas cost more than the rest of a call.
const Answer = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

// The gateway's own timer ends the call; this one only keeps the SDK's shorter default from doing so.
const LONGEST_TIMER_MS = 2_147_483_647;

/** One `tools/call`, with the trace passed on and the deadline enforced by the caller's signals. */
export async function callTool(client: Client, call: UpstreamCall): Promise<ToolResult> {
  const {
    toolName,
    version,
    args,
    signal,
    givenUp = signal,
    deadline,
    trace,
    idempotencyKey,
    onProgress,
  } = call;
  signal.throwIfAborted();
  const left = Math.max(deadline - Date.now(), 0);
  const traced = traceFields(trace);
  const params = {
    name: toolName,
    arguments: args,
    _meta: {
      ...traced,
      [CALL_KEYS.timeoutMs]: left,
      ...(idempotencyKey !== undefined && { [CALL_KEYS.idempotencyKey]: idempotencyKey }),
      ...(version !== undefined && { version }),
    },
  };
  const answer = await client.request({ method: 'tools/call', params }, Answer, {
    signal: givenUp,
    timeout: LONGEST_TIMER_MS,
    // For those on the way that read no messages; where a request is not one of HTTP this says nothing.
    headers: { ...traced },
    ...(onProgress && { onprogress: onProgress }),
  });
  return {
    content: (answer.content ?? []).map(contentPartIn),
    ...(answer.structuredContent !== undefined && { structured: answer.structuredContent }),
    isError: answer.isError ?? false,
  };
}
