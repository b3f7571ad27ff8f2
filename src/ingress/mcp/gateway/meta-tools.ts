import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallRequest, Progress } from '../../../contract/call/call-request.ts';
import type { Principal } from '../../../contract/call/principal.ts';
import { Fault } from '../../../contract/errors/fault.ts';
import type { GatewayApi } from '../../../contract/gateway-api.ts';
import { toCallError } from '../../../lifecycle/to-outcome.ts';
import type { CallContext } from '../call-context.ts';
import { encodeBrowse, encodeError, encodeOutcome, encodeViewResult } from './encode.ts';

export interface MetaToolContext extends CallContext {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Fires when the caller says so; `signal` also when its connection breaks. */
  readonly cancelled?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** For the log: what went wrong in a way that no caller is told. */
  readonly onError: (error: Error) => void;
}

type Arguments = Readonly<Record<string, unknown>>;
type MetaTool = (house: GatewayApi, args: Arguments, call: MetaToolContext) => Promise<CallToolResult>;

const META_TOOLS: Readonly<
  Record<string, { readonly parameters: readonly string[]; readonly run: MetaTool }>
> = {
  tool_browse: {
    parameters: ['query', 'path', 'top_k'],
    run: async (house, { query, path, top_k: topK }, { principal, sessionId }) =>
      encodeBrowse(await house.browse(principal, { query, path, topK }, readText('session', sessionId))),
  },
  tool_execute: {
    parameters: ['tool_id', 'args', 'dry_run', 'idempotency_key'],
    run: async (house, args, call) => encodeOutcome(await house.invoke(callRequestOf(args, call))),
  },
  tool_view: {
    parameters: ['handle', 'selector'],
    run: async (house, { handle, selector }, { principal, sessionId }) => {
      const view = await house.view(principal, handle, selector, readText('session', sessionId));
      return encodeViewResult(String(handle), view);
    },
  },
};

export function isMetaTool(name: string): boolean {
  return Object.hasOwn(META_TOOLS, name);
}

/** One meta-tool call. A mistake that a model can correct is an answer, never a protocol error. */
export async function callMetaTool(
  house: GatewayApi,
  { name, args }: { readonly name: string; readonly args: Arguments },
  call: MetaToolContext,
): Promise<CallToolResult> {
  const verb = META_TOOLS[name]!;
  try {
    const unknown = Object.keys(args).find((key) => !verb.parameters.includes(key));
    if (unknown !== undefined) {
      throw new Fault('INVALID_INPUT', `${name} takes ${verb.parameters.join(', ')} and nothing else.`);
    }
    return await verb.run(house, args, call);
  } catch (thrown) {
    const fault = thrown instanceof Fault ? thrown : unexplained(thrown, call);
    return encodeError(toCallError(fault), { trace_id: call.trace.traceId });
  }
}

function unexplained(thrown: unknown, { onError }: MetaToolContext): Fault {
  onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  return new Fault('INTERNAL_TOOL_ERROR', 'The gateway failed. The log holds the cause.');
}

const MAX_TEXT_LENGTH = 256;

function callRequestOf(args: Arguments, call: MetaToolContext): CallRequest {
  const { tool_id: tool, args: toolArgs, dry_run: dryRun = false, idempotency_key: ownKey } = args;
  const { principal, trace, signal, cancelled, onProgress } = call;
  if (typeof tool !== 'string') throw new Fault('INVALID_INPUT', '"tool_id" must be the id on a card.');
  if (typeof dryRun !== 'boolean') throw new Fault('INVALID_INPUT', '"dry_run" must be true or false.');
  const idempotencyKey = readText('idempotency_key', ownKey ?? call.idempotencyKey);
  const sessionId = readText('session', call.sessionId);
  const deadline = readDeadline(call.timeoutMs);
  return {
    principal,
    tool,
    args: toolArgs ?? (dryRun ? undefined : {}),
    surface: 'gateway',
    trace,
    dryRun,
    signal,
    ...(cancelled && { cancelled }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(sessionId !== undefined && { sessionId }),
    ...(deadline !== undefined && { deadline }),
    ...(onProgress && { onProgress }),
  };
}

function readText(what: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // A blank one is a variable that nobody filled: calls that have nothing to do with each other would share it.
  if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_LENGTH) return value;
  throw new Fault('INVALID_INPUT', `"${what}" must be a text of 1 to ${MAX_TEXT_LENGTH} characters.`);
}

function readDeadline(timeoutMs: unknown): number | undefined {
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && Number.isFinite(timeoutMs))
    return Date.now() + timeoutMs;
  throw new Fault('INVALID_INPUT', 'The timeout must be a number of milliseconds above 0.');
}
