import type { JsonObject } from '../../base/json/json.ts';
import { type TraceFields, traceFields } from '../../contract/call/trace.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type {
  Upstream,
  UpstreamAnswer,
  UpstreamListener,
  UpstreamRequest,
  UpstreamSession,
  UpstreamSignals,
} from '../../contract/ports/upstream.ts';
import type { DeclaredTerms } from '../../contract/tool/descriptor.ts';
import type { ToolHints } from '../../contract/tool/tool.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';

/** A tool written in TypeScript in this process. It declares its own contract. */
export interface NativeTool {
  readonly name: string;
  readonly version?: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly tags?: readonly string[];
  readonly hints?: ToolHints;
  readonly declared?: DeclaredTerms;
  /** Returns structured data, or throws a `Fault` with a code of the error catalogue. */
  run(args: JsonObject, context: NativeContext): Promise<unknown> | unknown;
}

export interface NativeContext {
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** To be sent with the requests that the tool makes, as headers for example. */
  readonly trace: TraceFields;
  /** The same for every attempt at one effect, and different for every caller: for services that take a key. */
  readonly idempotencyKey?: string;
}

/** Native tools of one namespace. They are always ready, so every session is the same. */
export class NativeUpstream implements Upstream, UpstreamSession {
  readonly namespace: string;
  readonly #tools: readonly NativeTool[];
  #state: UpstreamState = { kind: 'starting', since: new Date().toISOString() };

  constructor(namespace: string, tools: readonly NativeTool[]) {
    this.namespace = namespace;
    this.#tools = tools;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  async start(listener: UpstreamListener): Promise<void> {
    await listener.toolsListed(
      this.#tools.map(({ run: _, hints, ...descriptor }) => ({ ...descriptor, hints: hints ?? {} })),
    );
    this.#state = { kind: 'ready', since: new Date().toISOString(), protocol: 'native' };
    listener.stateChanged(this.#state);
  }

  async session(): Promise<UpstreamSession> {
    return this;
  }

  async callTool(request: UpstreamRequest, { signal }: UpstreamSignals): Promise<UpstreamAnswer> {
    const { toolName, version, args, deadline, trace, idempotencyKey } = request;
    const tool = this.#find(toolName, version);
    if (!tool) throw new Fault('TOOL_NOT_FOUND', 'This tool no longer exists.', { effect: 'none' });
    const structured = await this.#run(tool, args, {
      signal,
      deadline,
      trace: traceFields(trace),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    if (structured === undefined) return { kind: 'result', result: { content: [], isError: false } };
    const text = typeof structured === 'string' ? structured : JSON.stringify(structured);
    return { kind: 'result', result: { content: [{ type: 'text', text }], structured, isError: false } };
  }

  #find(name: string, version: string | undefined): NativeTool | undefined {
    const exact = this.#tools.find((tool) => tool.name === name && tool.version === version);
    if (exact) return exact;
    // An operator can state another version than the tool declares.
    const named = this.#tools.filter((tool) => tool.name === name);
    return named.length === 1 ? named[0] : undefined;
  }

  async #run(tool: NativeTool, args: JsonObject, context: NativeContext): Promise<unknown> {
    try {
      // A copy, so that what the tool changes in it reaches neither the caller nor the next attempt.
      return await tool.run(structuredClone(args), context);
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      throw new Fault('INTERNAL_TOOL_ERROR', 'The tool failed. The log holds the cause.', { cause: thrown });
    }
  }

  async stop(): Promise<void> {
    this.#state = { kind: 'stopped', since: new Date().toISOString() };
  }
}
