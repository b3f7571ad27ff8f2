/** Fixtures for tests of telemetry: a collector, an upstream and a client, all real and all on loopback. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { serve } from '@hono/node-server';
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../src/app/config/load.ts';
import { type Gateway, openGateway } from '../src/app/gateway.ts';
import { serveHttp } from '../src/app/serve.ts';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The attribute values of OTLP/JSON. */
interface AnyValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

interface OtlpAttributes {
  readonly attributes?: readonly { readonly key: string; readonly value: AnyValue }[];
}

export interface OtlpSpan extends OtlpAttributes {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly (OtlpAttributes & { readonly name: string })[];
}

interface OtlpPoint extends OtlpAttributes {
  readonly asInt?: number | string;
  readonly asDouble?: number;
  readonly count?: number | string;
}

interface OtlpMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] };
}

interface TracesBody {
  readonly resourceSpans: readonly {
    readonly resource: OtlpAttributes;
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface MetricsBody {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

export type Point = readonly [labels: Readonly<Record<string, unknown>>, value: number];

export const KIND = { internal: 1, server: 2, client: 3 } as const;
export const STATUS = { unset: 0, error: 2 } as const;

export class Collector {
  readonly received: Received[] = [];
  url = '';

  get payloads(): string {
    return this.received.map(({ text }) => text).join('\n');
  }

  get spans(): OtlpSpan[] {
    return this.#bodies<TracesBody>('/v1/traces')
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans);
  }

  /** The data points of the last export by metric, each as its labels and its value. */
  get metrics(): Readonly<Record<string, readonly Point[]>> {
    const metrics = this.#bodies<MetricsBody>('/v1/metrics')
      .slice(-1)
      .flatMap(({ resourceMetrics }) => resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics: group }) => group);
    return Object.fromEntries(
      metrics.map(({ name, sum, gauge, histogram }) => [
        name,
        (sum ?? gauge ?? histogram)!.dataPoints.map(
          (point): Point => [attributesOf(point), Number(point.asInt ?? point.asDouble ?? point.count)],
        ),
      ]),
    );
  }

  get resource(): Record<string, unknown> {
    return attributesOf(this.#bodies<TracesBody>('/v1/traces')[0]!.resourceSpans[0]!.resource);
  }

  #bodies<Body>(path: string): Body[] {
    return this.received
      .filter((request) => request.path === path)
      .map(({ text }) => JSON.parse(text) as Body);
  }
}

export function attributesOf({ attributes = [] }: OtlpAttributes): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}

export async function startCollector(options: { status: number } = { status: 200 }): Promise<Collector> {
  const collector = new Collector();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url = '', headers } = request;
    collector.received.push({ path: url, headers, text: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(options.status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

export interface TestUpstream {
  readonly url: string;
  /** The tool and the trace context of every call received, from `_meta`. */
  readonly calls: { readonly tool: string; readonly traceparent: unknown; readonly tracestate?: unknown }[];
  /** The trace context in the HTTP headers of the same calls. */
  readonly headers: { readonly traceparent: string | null; readonly tracestate: string | null }[];
  /** Number of next calls that get HTTP status 429. */
  busyFor: number;
}

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const READS = { readOnlyHint: true };

/** One tool for every way in which a call can end. */
const TOOLS = [
  { name: 'read', inputSchema: TEXT, annotations: READS },
  { name: 'write', inputSchema: TEXT },
  { name: 'refuse', inputSchema: TEXT, annotations: READS },
  { name: 'crash', inputSchema: TEXT, annotations: READS },
  { name: 'sleep', inputSchema: TEXT, annotations: READS },
  {
    name: 'lie',
    inputSchema: TEXT,
    annotations: READS,
    outputSchema: { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] },
  },
];

export async function startTestUpstream(): Promise<TestUpstream> {
  const upstream: TestUpstream = { url: '', calls: [], headers: [], busyFor: 0 };
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({
      tools: TOOLS.map((tool) => ({ ...tool, description: `Test tool ${tool.name}.` })) as never,
    }));
    server.setRequestHandler(
      'tools/call',
      async ({ params: { name, arguments: args } }, { mcpReq, http }) => {
        const { traceparent, tracestate } = mcpReq._meta ?? {};
        upstream.calls.push({ tool: name, traceparent, ...(tracestate !== undefined && { tracestate }) });
        const header = (key: string): string | null => http!.req!.headers.get(key);
        upstream.headers.push({ traceparent: header('traceparent'), tracestate: header('tracestate') });
        const echoed = `you said ${args?.text}`;
        if (name === 'crash') throw new ProtocolError(-32_000, echoed, { args });
        if (name === 'sleep') {
          await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
        }
        const content = [{ type: 'text' as const, text: echoed }];
        if (name === 'lie') return { content, structuredContent: { total: echoed } };
        return { content, isError: name === 'refuse' };
      },
    );
    return server;
  });
  const fetch = async (request: Request): Promise<Response> => {
    if (upstream.busyFor > 0 && (await request.clone().text()).includes('"tools/call"')) {
      upstream.busyFor--;
      return new Response('later', { status: 429 });
    }
    return handler.fetch(request);
  };
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const starting = serve({ fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(starting));
  });
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return Object.assign(upstream, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` });
}

export interface ObservedGateway {
  readonly gateway: Gateway;
  readonly url: string;
  /** Every line of the log. */
  readonly lines: string[];
  /** Sends one `tool_execute` over MCP and HTTP, without the gateway's own client code. */
  execute(args: object, headers?: Readonly<Record<string, string>>): Promise<ExecuteAnswer>;
  close(): Promise<void>;
}

export interface ExecuteAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Opens a gateway whose log is captured, with the telemetry settings of the test. */
export async function openObservedGateway(
  settings: Readonly<Record<string, unknown>>,
  { native, level = 'info' }: { readonly native?: readonly NativeTool[]; readonly level?: string } = {},
): Promise<ObservedGateway> {
  const config = loadConfig({
    settings: { server: { port: 0 }, store: { sqlite: ':memory:' }, ...settings },
  });
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  const log = pino({ level, base: undefined }, sink);
  const gateway = await openGateway({ config, log, ...(native && { native: { here: native } }) });
  const listener = await serveHttp({ gateway, config, log });
  await gateway.start();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= listener.close().then(() => gateway.close());
    return closing;
  };
  onTestFinished(close);
  return {
    gateway,
    url: listener.url,
    lines,
    close,
    async execute(args, headers = {}) {
      const response = await fetch(`${listener.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'tool_execute', arguments: args },
        }),
      });
      const { result } = (await response.json()) as {
        result: { content: { text: string }[]; isError?: boolean };
      };
      return { text: result.content.map(({ text }) => text).join(''), isError: result.isError ?? false };
    },
  };
}
