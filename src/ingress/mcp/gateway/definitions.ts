import type { Tool } from '@modelcontextprotocol/server';

const TEXT = { type: 'string' } as const;
const INTEGER = { type: 'integer' } as const;
const FLAG = { type: 'boolean' } as const;

function objectOf<Properties>(properties: Properties): { type: 'object'; properties: Properties } {
  return { type: 'object', properties };
}

/** The parameters that a model needs. A selector takes further ones, such as those of a next page, which a model repeats. */
const SELECTOR = {
  ...objectOf({
    grep: objectOf({ pattern: TEXT, context: INTEGER, ignore_case: FLAG }),
    lines: objectOf({ start: INTEGER, end: INTEGER }),
    head: objectOf({ start: INTEGER, chars: INTEGER }),
    tail: { type: 'object' },
    bytes: objectOf({ start: INTEGER, end: INTEGER }),
    schema: { type: 'object' },
    json_keys: objectOf({ path: TEXT }),
    jsonpath: objectOf({ path: TEXT }),
    rows: objectOf({ start: INTEGER, end: INTEGER, columns: { type: 'array', items: TEXT }, path: TEXT }),
  }),
  description:
    'One of these, default head. A path of jsonpath is like "$.items[?@.n>7].id", other paths like "/a/0"',
};

/** Claude Code otherwise hides the tools behind a search of its own, and a model that must search rarely calls them. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true };

/** The tools that every client lists. Each word here costs tokens in the context of every agent. */
export const GATEWAY_TOOLS: readonly Tool[] = [
  {
    name: 'tool_browse',
    description:
      'Find tools by "query" (what you want to do, in words) or by "path" ("/" lists namespaces, "/ns" their tools). Each line is a card: tool_id(required args): description.',
    inputSchema: objectOf({
      query: TEXT,
      path: TEXT,
      top_k: { type: 'integer', maximum: 50, default: 10 },
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: ALWAYS_LOADED,
  },
  {
    name: 'tool_execute',
    description:
      'Call a tool by the tool_id of its card; dry_run without args returns its full description and schema instead. A long result is returned as a summary with handles for tool_view.',
    inputSchema: {
      ...objectOf({
        tool_id: TEXT,
        args: { type: 'object' },
        dry_run: FLAG,
        idempotency_key: {
          type: 'string',
          description: 'For safe retries: one key never runs a write twice',
        },
      }),
      required: ['tool_id'],
    },
    _meta: ALWAYS_LOADED,
  },
  {
    name: 'tool_view',
    description:
      'Read a part of a long result, by its handle and a selector. Returns a page, totals and the selector of the next page.',
    inputSchema: {
      ...objectOf({ handle: TEXT, selector: SELECTOR }),
      required: ['handle'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: ALWAYS_LOADED,
  },
];
