import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** The command-line options of a test server. */
export interface ServerOptions {
  /** A file that gets one line for every event, so that a test can count them. */
  readonly log: string | undefined;
  readonly port: number;
  readonly pageSize: number;
  /** Further tools, named `extra-1` and so on. */
  readonly extra: number;
  /** The last page has the cursor of the first. */
  readonly circle: boolean;
  /** HTTP status for an unknown session. */
  readonly unknownSession: number;
  /** Whether broken HTTP streams can be resumed. */
  readonly resumable: boolean;
  /** Rejects the older era. */
  readonly modernOnly: boolean;
  /** Exits this many milliseconds after the first `tools/list`. */
  readonly dieAfterMs: number | undefined;
}

export function parseOptions(): ServerOptions {
  const { values } = parseArgs({
    allowPositionals: true,
    options: {
      log: { type: 'string' },
      port: { type: 'string', default: '0' },
      'page-size': { type: 'string', default: '1000' },
      extra: { type: 'string', default: '0' },
      circle: { type: 'boolean', default: false },
      'unknown-session': { type: 'string', default: '404' },
      resumable: { type: 'boolean', default: false },
      'modern-only': { type: 'boolean', default: false },
      'die-after': { type: 'string' },
    },
  });
  return {
    log: values.log,
    port: Number(values.port),
    pageSize: Number(values['page-size']),
    extra: Number(values.extra),
    circle: values.circle,
    unknownSession: Number(values['unknown-session']),
    resumable: values.resumable,
    modernOnly: values['modern-only'],
    dieAfterMs: values['die-after'] === undefined ? undefined : Number(values['die-after']),
  };
}

export interface FixtureTool {
  name: string;
  description: string;
  inputSchema: { type: 'object'; properties?: Record<string, { type: string }>; required?: string[] };
}

export interface FixtureCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  /** Sends a notification that the tool list changed. */
  changed(): void;
}

export interface FixtureResult {
  content: Record<string, unknown>[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** Part of the error of the `leak` tool. It must not reach a caller. */
export const LEAKED_TOKEN = 'sk-live-0123456789abcdef';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

/** A result with a content block of every kind, with optional members. */
export const EVERY_KIND: FixtureResult = {
  content: [
    { type: 'text', text: 'plain words', annotations: { audience: ['user'], priority: 0.5 } },
    { type: 'image', data: PNG, mimeType: 'image/png', _meta: { 'example.org/origin': 'test' } },
    { type: 'audio', data: WAV, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'test://note', mimeType: 'text/plain', text: 'a note' } },
    { type: 'resource_link', uri: 'test://elsewhere', name: 'elsewhere', mimeType: 'text/markdown' },
  ],
  structuredContent: { rows: [{ id: 1, ok: true }], total: 1, note: null },
};

const number = { type: 'number' };

/** The tools of every test server, independent of an SDK: each main file connects them to one SDK and one transport. */
export class FixtureServer {
  readonly #options: ServerOptions;
  readonly #added: FixtureTool[] = [];

  constructor(options: ServerOptions) {
    this.#options = options;
    this.note(`start ${process.pid}`);
  }

  note(line: string): void {
    if (this.#options.log !== undefined) appendFileSync(this.#options.log, `${line}\n`);
  }

  list(cursor: string | undefined): { tools: FixtureTool[]; nextCursor?: string } {
    const { pageSize, circle, dieAfterMs } = this.#options;
    this.note(`list ${cursor ?? ''}`.trim());
    if (dieAfterMs !== undefined) setTimeout(() => process.exit(1), dieAfterMs);
    const all = this.#tools();
    const from = Number(cursor ?? 0);
    const next = from + pageSize;
    const more = next < all.length ? String(next) : circle ? '0' : undefined;
    return { tools: all.slice(from, next), ...(more !== undefined && { nextCursor: more }) };
  }

  async call(name: string, call: FixtureCall): Promise<FixtureResult> {
    this.note(`call ${name}`);
    const { args } = call;
    switch (name) {
      case 'echo':
        return text(`Echo: ${args.message}`);
      case 'pid':
        return text(String(process.pid));
      case 'every-kind':
        return EVERY_KIND;
      case 'wait':
        return this.#wait(Number(args.ms), call);
      case 'deaf':
        await new Promise((resolve) => setTimeout(resolve, Number(args.ms)));
        return text('at last');
      case 'busy':
        // Blocks the whole process, like a tool that computes.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(args.ms));
        return text('done');
      case 'change':
        return this.#change(Number(args.times), call);
      case 'leak':
        throw new Error(`401 unauthorized for ${LEAKED_TOKEN}: request took 4012 ms`);
      default:
        return text(name);
    }
  }

  #tools(): FixtureTool[] {
    const tool = (name: string, properties: Record<string, { type: string }> = {}): FixtureTool => ({
      name,
      description: `Test tool ${name}.`,
      inputSchema: { type: 'object', properties, required: Object.keys(properties) },
    });
    return [
      tool('echo', { message: { type: 'string' } }),
      tool('pid'),
      tool('every-kind'),
      tool('wait', { ms: number }),
      tool('deaf', { ms: number }),
      tool('busy', { ms: number }),
      tool('change', { times: number }),
      tool('leak'),
      ...Array.from({ length: this.#options.extra }, (_, i) => tool(`extra-${i + 1}`)),
      ...this.#added,
    ];
  }

  /** Waits in four steps and stops when it is cancelled. */
  async #wait(ms: number, { signal, progress }: FixtureCall): Promise<FixtureResult> {
    for (let step = 1; step <= 4; step++) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms / 4);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      if (signal.aborted) {
        this.note(`cancelled wait: ${signal.reason}`);
        return text('cancelled');
      }
      progress(step, 4);
    }
    return text('waited');
  }

  /** Adds tools in a burst, with one notification for each. */
  #change(times: number, { changed }: FixtureCall): FixtureResult {
    for (let i = 0; i < times; i++) {
      this.add();
      changed();
    }
    return text(`${this.#added.length} added`);
  }

  add(): void {
    this.#added.push({
      name: `added-${this.#added.length + 1}`,
      description: 'A tool that was added later.',
      inputSchema: { type: 'object' },
    });
  }
}

function text(value: string): FixtureResult {
  return { content: [{ type: 'text', text: value }] };
}
