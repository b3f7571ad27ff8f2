import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../base/json/json.ts';
import { CALL_KEYS } from '../../contract/call/meta-keys.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { traceFields } from '../../contract/call/trace.ts';
import type { UpstreamCall } from '../../contract/ports/upstream.ts';
import { parseContentPart } from './content-part.ts';

interface Answer {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Read loosely, and its parts one by one below: the SDK's full schemas cost more than the rest of a call. */
const ANSWER: StandardSchemaV1<unknown, Answer> = {
  '~standard': {
    version: 1,
    vendor: 'toolgate',
    validate: (value) =>
      isAnswer(value) ? { value } : { issues: [{ message: 'This is not the result of a tool.' }] },
  },
};

function isAnswer(value: unknown): value is Answer {
  if (!isJsonObject(value)) return false;
  const { content, isError } = value;
  return (
    (content === undefined || Array.isArray(content)) &&
    (isError === undefined || typeof isError === 'boolean')
  );
}

// The gateway's own timer ends the call; this one only keeps the SDK's shorter default from doing so.
const LONGEST_TIMER_MS = 2_147_483_647;

/** One `tools/call`, with the trace passed on and the deadline enforced by the caller's signals. */
export async function callTool(client: Client, call: UpstreamCall): Promise<ToolResult> {
  const {
    toolName,
    version,
    args,
    signal,
    abandonSignal = signal,
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
  const answer = await client.request({ method: 'tools/call', params }, ANSWER, {
    signal: abandonSignal,
    timeout: LONGEST_TIMER_MS,
    // For those on the way that read no messages; where a request is not one of HTTP this says nothing.
    headers: { ...traced },
    ...(onProgress && { onprogress: onProgress }),
  });
  return {
    content: (answer.content ?? []).map(parseContentPart),
    isError: answer.isError ?? false,
    ...(answer.structuredContent !== undefined && { structured: answer.structuredContent }),
  };
}
