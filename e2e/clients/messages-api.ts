import { type ModelApiFormat, textOf } from './model-api.ts';

interface MessagesRequest {
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: string | readonly Block[] }[];
}

interface Block {
  readonly type: string;
  readonly content?: unknown;
}

/** Claude Code puts the name of the server before the name of the tool. */
const TOOL_PREFIX = 'mcp__toolgate__';

/** Claude Code appends its own notes to a result. */
const REMINDER = /\s*<system-reminder>.*<\/system-reminder>\s*$/s;

/** The streaming form of Anthropic's Messages API, as Claude Code uses it. */
export const MESSAGES_API: ModelApiFormat = {
  path: '/v1/messages',
  parse(body) {
    const { tools = [], messages } = body as MessagesRequest;
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    return {
      tools: tools.map(({ name }) => (name.startsWith(TOOL_PREFIX) ? name.slice(TOOL_PREFIX.length) : name)),
      results: blocks
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => textOf(content).replace(REMINDER, '')),
    };
  },
  encode(turn, turnNumber) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const [block, delta, stop_reason] =
      'tool' in turn
        ? [
            { type: 'tool_use', id: `toolu_${turnNumber}`, name: TOOL_PREFIX + turn.tool, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(turn.args) },
            'tool_use',
          ]
        : [{ type: 'text', text: '' }, { type: 'text_delta', text: turn.text }, 'end_turn'];
    const message = {
      id: `msg_${turnNumber}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
};
