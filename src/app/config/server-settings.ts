import { z } from 'zod';
import { DEFAULT_MESSAGE_LIMITS } from '../../ingress/mcp/parse-message.ts';
import { positiveInteger } from './positive-integer.ts';

export const ServerEntry: z.ZodType<ServerSettings, unknown> = z
  .strictObject({
    host: z
      .string()
      .default('127.0.0.1')
      .describe(
        'Address to listen on; any other than loopback needs server.allowedHosts and server.allowUnauthenticated',
      ),
    port: z.int().min(0).max(65_535).default(7332).describe('TCP port to listen on; 0 picks a free one'),
    allowedHosts: z
      .array(z.string())
      .default([])
      .describe('Host names accepted in the Host header, besides loopback and server.host'),
    allowUnauthenticated: z
      .boolean()
      .default(false)
      .describe(
        'Listen on addresses other than loopback although callers are not authenticated: everybody who reaches the port can call every tool',
      ),
    allowedOrigins: z
      .array(z.string())
      .default([])
      .describe(
        'Web origins whose pages may call the gateway and read its answers (CORS), such as https://app.example',
      ),
    maxBodyBytes: positiveInteger(DEFAULT_MESSAGE_LIMITS.maxBytes).describe(
      'Maximum size of a request (bytes)',
    ),
    maxDepth: positiveInteger(DEFAULT_MESSAGE_LIMITS.maxDepth).describe(
      'Maximum nesting of JSON in a request (levels)',
    ),
    maxInFlight: positiveInteger(512).describe(
      'Maximum calls of tool_execute in flight over HTTP; further calls get 503 with Retry-After',
    ),
    maxSubscriptions: positiveInteger(256).describe(
      'Maximum open subscriptions/listen streams over HTTP; further ones get 503 with Retry-After',
    ),
    drainTimeoutMs: positiveInteger(300_000).describe(
      'Time for calls in flight to end after a signal to stop or the end of standard input (ms); those left are then stopped',
    ),
    structuredContent: z
      .enum(['on_request', 'always'])
      .default('on_request')
      .describe(
        'When tool_browse, tool_execute and tool_view also send the structured form of their own answers in structuredContent: "on_request" (_meta["toolgate/structured"]: true), or "always". Some clients show it to the model instead of the text',
      ),
  })
  .prefault({})
  .describe('HTTP server of "toolgate serve", and limits and answers of every transport');

export interface ServerSettings {
  host: string;
  port: number;
  allowedHosts: string[];
  allowUnauthenticated: boolean;
  allowedOrigins: string[];
  maxBodyBytes: number;
  maxDepth: number;
  maxInFlight: number;
  structuredContent: 'on_request' | 'always';
  maxSubscriptions: number;
  drainTimeoutMs: number;
}
