import { type ModelApiFormat, textOf } from './model-api.ts';

interface ResponsesRequest {
  readonly tools?: readonly Tool[];
  readonly input: readonly { readonly type: string; readonly output?: unknown }[];
}

interface Tool {
  readonly type: string;
  readonly name?: string;
  /** The tools of a namespace. Codex makes a namespace of every MCP server. */
  readonly tools?: readonly Tool[];
}

const NAMESPACE = 'mcp__toolgate';

/** Codex puts a header before a result. */
const WALL_TIME = /^Wall time: [^\n]*\nOutput:\n/;

/** The streaming form of OpenAI's Responses API, as Codex uses it. */
export const RESPONSES_API: ModelApiFormat = {
  path: '/v1/responses',
  parse(body) {
    const { tools = [], input } = body as ResponsesRequest;
    return {
      tools: tools
        .flatMap((tool) => (tool.name === NAMESPACE && tool.tools ? tool.tools : [tool]))
        .map(({ name, type }) => name ?? type),
      results: input
        .filter(({ type }) => type === 'function_call_output')
        .map(({ output }) => textOf(output).replace(WALL_TIME, '')),
    };
  },
  encode(turn, turnNumber) {
    const item =
      'tool' in turn
        ? {
            type: 'function_call',
            id: `fc_${turnNumber}`,
            call_id: `call_${turnNumber}`,
            namespace: NAMESPACE,
            name: turn.tool,
            arguments: JSON.stringify(turn.args),
            status: 'completed',
          }
        : {
            type: 'message',
            id: `msg_${turnNumber}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: turn.text, annotations: [] }],
          };
    const response = { id: `resp_${turnNumber}`, object: 'response', output: [] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    ];
  },
};
