import type { Tool } from '@modelcontextprotocol/server';

/** The tools that every client lists. Each word here costs tokens in the context of every agent. */
export const GATEWAY_TOOLS: readonly Tool[] = [
  {
    name: 'tool_browse',
    description:
      'Find tools. Give "query" (what you want to do, in words) for the best matches, or "path" ("/" lists namespaces, "/ns" their tools). Each line is a card: tool_id (kind): description. Pass a tool_id to tool_execute.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What you want to do' },
        path: { type: 'string', description: 'Instead of query: a path such as "/" or "/github"' },
        top_k: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'tool_execute',
    description:
      'Call a tool found by tool_browse. Invalid args return all errors and the signature. dry_run without args returns the full input schema and calls nothing. A long result is returned as a summary with handles for tool_view.',
    inputSchema: {
      type: 'object',
      properties: {
        tool_id: { type: 'string', description: 'From a card of tool_browse' },
        args: { description: "The tool's arguments, an object" },
        dry_run: { type: 'boolean', default: false },
        idempotency_key: {
          type: 'string',
          description: 'The same key never runs a write twice: for safe retries',
        },
      },
      required: ['tool_id'],
      additionalProperties: false,
    },
  },
  {
    name: 'tool_view',
    description:
      'Read a part of a long result. selector is one of {"grep":{"pattern":"error","context":2,"ignore_case":true}}, {"lines":{"start":1,"end":100}}, {"head":{"start":0,"chars":4000}}, {"tail":{}}, {"bytes":{"start":0,"end":3000}}, {"schema":{}}, {"json_keys":{"path":"/a/0"}}, {"jsonpath":{"path":"$.items[?@.n>7].id"}}, {"rows":{"start":0,"end":20,"columns":["id"],"path":"/items"}}. Returns totals and the next selector.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: { type: 'string', description: 'From a result: art_…' },
        selector: { description: 'Default {"head":{}}' },
      },
      required: ['handle'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
];
