import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallHandles, CallRequest } from '../../../contract/call/call-request.ts';
import type { Caller } from '../../../contract/call/caller.ts';
import { Fault } from '../../../contract/errors/fault.ts';
import type { GatewayApi } from '../../../contract/gateway-api.ts';
import { toCallError, toFault } from '../../../lifecycle/to-outcome.ts';
import type { CallContext } from '../call-context.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { readText } from '../read-text.ts';
import { type Answer, encodeAnswer } from './answer.ts';
import { encodeBrowse, encodeOutcome, encodeViewResult } from './encode.ts';
import { encodeError } from './encode-error.ts';

export interface MetaToolContext extends CallContext, CallHandles {
  readonly signal: AbortSignal;
  /** Whether every answer has its structured form in `structuredContent`, whatever the request asks for. */
  readonly alwaysStructured: boolean;
  /** For the log: errors whose cause is not returned to the caller. */
  readonly onError: (error: Error) => void;
}

type Arguments = Readonly<Record<string, unknown>>;
type MetaTool = (api: GatewayApi, args: Arguments, context: MetaToolContext) => Promise<Answer>;

const META_TOOLS: Readonly<
  Record<string, { readonly parameters: readonly string[]; readonly run: MetaTool }>
> = {
  tool_browse: {
    parameters: ['query', 'path', 'top_k'],
    run: async (api, { query, path, top_k: topK }, context) =>
      encodeBrowse(await api.browse(callerOf(context), { query, path, topK })),
  },
  tool_execute: {
    parameters: ['tool_id', 'args', 'dry_run', 'idempotency_key'],
    run: async (api, args, context) =>
      encodeOutcome(await api.invoke(callRequestOf(args, context), handlesOf(context))),
  },
  tool_view: {
    parameters: ['handle', 'selector'],
    run: async (api, { handle, selector }, context) =>
      encodeViewResult(String(handle), await api.view(callerOf(context), { handle, selector })),
  },
};

export function isMetaTool(name: string): boolean {
  return Object.hasOwn(META_TOOLS, name);
}

/** Calls one meta-tool. A mistake that a model can correct is a tool result and never a protocol error. */
export async function callMetaTool(
  api: GatewayApi,
  { name, args }: { readonly name: string; readonly args: Arguments },
  context: MetaToolContext,
): Promise<CallToolResult> {
  const tool = META_TOOLS[name]!;
  const isStructured = context.wantsStructured || context.alwaysStructured;
  try {
    const unknown = Object.keys(args).find((key) => !tool.parameters.includes(key));
    if (unknown !== undefined) {
      throw new Fault('INVALID_INPUT', `Unknown argument. ${name} takes ${tool.parameters.join(', ')}.`);
    }
    return encodeAnswer(await tool.run(api, args, context), isStructured);
  } catch (thrown) {
    const fault = thrown instanceof Fault ? thrown : internalError(thrown, context);
    const answer = encodeError(toCallError(fault), { trace_id: context.caller.trace.traceId });
    return encodeAnswer(answer, isStructured);
  }
}

function internalError(thrown: unknown, { onError }: MetaToolContext): Fault {
  onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  return toFault(thrown);
}

/** Throws where the session id is not valid, so that the caller gets an error and not another session. */
function callerOf({ caller, sessionId: sent }: MetaToolContext): Caller {
  return sent === undefined ? caller : { ...caller, sessionId: readText('session', sent) };
}

function handlesOf({ signal, cancelled, onProgress }: MetaToolContext): CallHandles {
  return { signal, ...(cancelled && { cancelled }), ...(onProgress && { onProgress }) };
}

function callRequestOf(args: Arguments, context: MetaToolContext): CallRequest {
  const { tool_id: tool, args: toolArgs, dry_run: dryRun = false, idempotency_key: ownKey } = args;
  if (typeof tool !== 'string')
    throw new Fault('INVALID_INPUT', '"tool_id" must be a tool id from tool_browse.');
  if (typeof dryRun !== 'boolean') throw new Fault('INVALID_INPUT', '"dry_run" must be true or false.');
  const idempotencyKey = readIdempotencyKey(ownKey, context);
  const deadline = readDeadline(context.timeoutMs);
  return {
    caller: callerOf(context),
    tool,
    args: toolArgs ?? (dryRun ? undefined : {}),
    dryRun,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(deadline !== undefined && { deadline }),
  };
}

function readDeadline(timeoutMs: unknown): number | undefined {
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && Number.isFinite(timeoutMs))
    return Date.now() + timeoutMs;
  throw new Fault('INVALID_INPUT', 'The timeout must be a number of milliseconds above 0.');
}
