import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { CALL_KEYS } from '../../contract/call-keys.ts';
import type { ToolResult } from '../../contract/content.ts';
import type { UpstreamCall } from '../../contract/ports/upstream.ts';
import { traceparent } from '../../contract/trace.ts';
import { contentPartIn } from './content-part.ts';

// Read loosely and checked below: the SDK's full schemas cost more than the rest of a call.
const Answer = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** One `tools/call`, with the trace passed on and the deadline enforced by the caller's signal. */
export async function callTool(client: Client, call: UpstreamCall): Promise<ToolResult> {
  const { toolName, version, args, signal, deadline, trace, idempotencyKey, onProgress } = call;
  const left = Math.max(deadline - Date.now(), 0);
  const params = {
    name: toolName,
    arguments: args,
    _meta: {
      traceparent: traceparent(trace),
      [CALL_KEYS.timeoutMs]: left,
      ...(idempotencyKey !== undefined && { [CALL_KEYS.idempotencyKey]: idempotencyKey }),
      ...(version !== undefined && { version }),
    },
  };
  const answer = await client.request({ method: 'tools/call', params }, Answer, {
    signal,
    // The gateway's own timer ends the call; this one only keeps the SDK's shorter default from doing so.
    timeout: left + 5_000,
    ...(onProgress && { onprogress: onProgress }),
  });
  return {
    content: (answer.content ?? []).map(contentPartIn),
    ...(answer.structuredContent !== undefined && { structured: answer.structuredContent }),
    isError: answer.isError ?? false,
  };
}
