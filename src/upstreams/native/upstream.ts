import type { JsonObject } from '../../base/json/json.ts';
import type { ToolResult } from '../../contract/call/tool-result.ts';
import { type TraceFields, traceFields } from '../../contract/call/trace.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Upstream, UpstreamCall, UpstreamListener } from '../../contract/ports/upstream.ts';
import type { DeclaredTerms } from '../../contract/tool/descriptor.ts';
import type { ToolHints } from '../../contract/tool/tool.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';

/** A tool written in this process's own language. It makes its promises itself. */
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
  /** Answers with structured data, or throws a `Fault` in the catalogue's words. */
  run(args: JsonObject, context: NativeContext): Promise<unknown> | unknown;
}

export interface NativeContext {
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** To be sent along with whatever the tool calls, as headers for example. */
  readonly trace: TraceFields;
  /** The same for every attempt at one effect, and no other caller's: for whatever the tool calls, where that takes a key. */
  readonly idempotencyKey?: string;
}

export class NativeUpstream implements Upstream {
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
    listener.toolsListed(
      this.#tools.map(({ run: _, hints, ...descriptor }) => ({ ...descriptor, hints: hints ?? {} })),
    );
    this.#state = { kind: 'ready', since: new Date().toISOString(), protocol: 'native' };
    listener.stateChanged(this.#state);
  }

  async call(call: UpstreamCall): Promise<ToolResult> {
    const { toolName, version, args, signal, deadline, trace, idempotencyKey } = call;
    const tool = this.#tools.find(
      (candidate) => candidate.name === toolName && candidate.version === version,
    );
    if (!tool) throw new Fault('TOOL_NOT_FOUND', 'This tool is gone.', { effect: 'none' });
    await call.beforeSend();
    const structured = await this.#run(tool, args, {
      signal,
      deadline,
      trace: traceFields(trace),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    if (structured === undefined) return { content: [], isError: false };
    const text = typeof structured === 'string' ? structured : JSON.stringify(structured);
    return { content: [{ type: 'text', text }], structured, isError: false };
  }

  async #run(tool: NativeTool, args: JsonObject, context: NativeContext): Promise<unknown> {
    try {
      // Its own copy: what it does to it is no business of the caller, nor of the next attempt.
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
