import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { CALL_KEYS } from '../../contract/call/meta-keys.ts';
import type { ReportedError } from '../../contract/call/tool-result.ts';
import { traceFields } from '../../contract/call/trace.ts';
import type { UpstreamAnswer, UpstreamRequest, UpstreamSignals } from '../../contract/ports/upstream.ts';
import type { Connection } from './connection/connect.ts';
import { parseContentPart } from './content-part.ts';

/** Keys of the protocol describe one connection, and keys of Toolgate one gateway: a client would take them for ours. */
const KEYS_OF_ONE_HOP = ['io.modelcontextprotocol/', 'toolgate/'];

interface Answer {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: unknown;
}

/**
 * The same judgement in both eras, and a loose one: the tool has run, and its result should not be lost for a detail. So
 * content and `resultType` may be missing. Each content part is validated on its own.
 */
function readAnswer(result: unknown): Answer {
  if (!isJsonObject(result)) throw invalidResult('not an object');
  const { content, isError, resultType = 'complete' } = result;
  if (resultType === 'input_required')
    throw new SdkError(SdkErrorCode.UnsupportedResultType, 'The tool requested user input');
  if (resultType !== 'complete') throw invalidResult('an unknown result type');
  if (content !== undefined && !Array.isArray(content)) throw invalidResult('content that is no list');
  if (isError !== undefined && typeof isError !== 'boolean')
    throw invalidResult('an error flag that is none');
  return result as Answer;
}

function invalidResult(what: string): SdkError {
  return new SdkError(SdkErrorCode.InvalidResult, `The result of the tool is ${what}`);
}

/** One `tools/call`. The trace is passed on; the signals enforce the deadline. */
export async function callTool(
  { calls, paramHeaders }: Pick<Connection, 'calls' | 'paramHeaders'>,
  request: UpstreamRequest,
  { signal, abandonSignal }: UpstreamSignals,
): Promise<UpstreamAnswer> {
  const { toolName, version, args, deadline, trace, idempotencyKey, onProgress } = request;
  signal.throwIfAborted();
  const left = Math.max(deadline - Date.now(), 0);
  const traced = traceFields(trace);
  const answer = await calls.call({
    name: toolName,
    args,
    meta: {
      ...traced,
      [CALL_KEYS.timeoutMs]: left,
      ...(idempotencyKey !== undefined && { [CALL_KEYS.idempotencyKey]: idempotencyKey }),
      ...(version !== undefined && { version }),
    },
    headers: { ...traced, ...paramHeaders?.headersFor(toolName, args) },
    onProgress,
    signal: abandonSignal,
  });
  const { content = [], isError = false, structuredContent, _meta } = readAnswer(answer);
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
  const { code, status } = isJsonObject(data.error) ? data.error : data;
  const retryAfterMs = isJsonObject(meta) ? meta[CALL_KEYS.retryAfterMs] : undefined;
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof status === 'number' && { httpStatus: status }),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && { retryAfterMs }),
  };
}
