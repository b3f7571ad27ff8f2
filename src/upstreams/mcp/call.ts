import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { CALL_KEYS } from '../../contract/call/meta-keys.ts';
import type { ReportedError } from '../../contract/call/tool-result.ts';
import { traceFields } from '../../contract/call/trace.ts';
import type { UpstreamAnswer, UpstreamRequest, UpstreamSignals } from '../../contract/ports/upstream.ts';
import { parseContentPart } from './content-part.ts';

/** Keys of the protocol describe one connection, and keys of Toolgate one gateway: a client would take them for ours. */
const KEYS_OF_ONE_HOP = ['io.modelcontextprotocol/', 'toolgate/'];

interface Answer {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: unknown;
}

/** Validated loosely here, and part by part below: the SDK's full schemas cost more than the rest of a call. */
const ANSWER: StandardSchemaV1<unknown, Answer> = {
  '~standard': {
    version: 1,
    vendor: 'toolgate',
    validate: (value) =>
      isAnswer(value)
        ? { value }
        : { issues: [{ message: 'The upstream did not answer with a tool result.' }] },
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

// The gateway's own deadline ends the call; this only disables the SDK's shorter default.
const LONGEST_TIMER_MS = 2_147_483_647;

/** One `tools/call`. The trace is passed on; the signals enforce the deadline. */
export async function callTool(
  client: Client,
  request: UpstreamRequest,
  { signal, abandonSignal }: UpstreamSignals,
): Promise<UpstreamAnswer> {
  const { toolName, version, args, deadline, trace, idempotencyKey, onProgress } = request;
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
    // For proxies, which read headers and no messages; without effect on stdio.
    headers: { ...traced },
    ...(onProgress && { onprogress: onProgress }),
  });
  const { content = [], isError = false, structuredContent, _meta } = answer;
  const meta = withoutHopKeys(_meta);
  return {
    kind: 'result',
    result: {
      content: content.map(parseContentPart),
      isError,
      ...(structuredContent !== undefined && { structured: structuredContent }),
      ...(meta && { meta }),
      ...(isError && { error: parseReportedError(structuredContent, _meta) }),
    },
  };
}

function withoutHopKeys(meta: unknown): JsonObject | undefined {
  if (!isJsonObject(meta)) return undefined;
  const own = Object.entries(meta).filter(([key]) => !KEYS_OF_ONE_HOP.some((hop) => key.startsWith(hop)));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** MCP has no form for the code of a failed tool: servers put it into the structured content. */
function parseReportedError(structured: unknown, meta: unknown): ReportedError {
  const data = isJsonObject(structured) ? structured : {};
  const code = isJsonObject(data.error) ? data.error.code : data.code;
  const retryAfterMs = isJsonObject(meta) ? meta[CALL_KEYS.retryAfterMs] : undefined;
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && { retryAfterMs }),
  };
}
