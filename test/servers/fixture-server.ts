import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** What a test server is told on its command line. */
export interface Orders {
  /** A file that gets a line for whatever happens here, so that a test can count it. */
  readonly log: string | undefined;
  readonly port: number;
  readonly pageSize: number;
  /** Further tools, named `extra-1` and so on. */
  readonly extra: number;
  /** The last page points at the first. */
  readonly circle: boolean;
  /** What an HTTP server says to a session that it does not know. */
  readonly unknownSession: number;
  /** Streams over HTTP can be taken up again where they broke. */
  readonly resumable: boolean;
  /** Refuses the older era. */
  readonly modernOnly: boolean;
  /** Dies this many milliseconds after it was asked for its tools. */
  readonly dieAfterMs: number | undefined;
}

export function readOrders(): Orders {
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

export interface WorkshopTool {
  name: string;
  description: string;
  inputSchema: { type: 'object'; properties?: Record<string, { type: string }>; required?: string[] };
}

export interface WorkshopCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  /** Tells whoever listens that the tools are others now. */
  changed(): void;
}

export interface WorkshopAnswer {
  content: Record<string, unknown>[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** What the `leak` tool fails with: nothing of it may reach a caller. */
export const LEAKED_TOKEN = 'sk-live-0123456789abcdef';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

/** A result with a block of every kind, with members beyond what each kind needs. */
export const EVERY_KIND: WorkshopAnswer = {
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

/** The tools of every test server, in no SDK's words: each main file wires them to one SDK and one transport. */
export class Workshop {
  readonly #orders: Orders;
  readonly #added: WorkshopTool[] = [];

  constructor(orders: Orders) {
    this.#orders = orders;
    this.note(`start ${process.pid}`);
  }

  note(line: string): void {
    if (this.#orders.log !== undefined) appendFileSync(this.#orders.log, `${line}\n`);
  }

  list(cursor: string | undefined): { tools: WorkshopTool[]; nextCursor?: string } {
    const { pageSize, circle, dieAfterMs } = this.#orders;
    this.note(`list ${cursor ?? ''}`.trim());
    if (dieAfterMs !== undefined) setTimeout(() => process.exit(1), dieAfterMs);
    const all = this.#tools();
    const from = Number(cursor ?? 0);
    const next = from + pageSize;
    const more = next < all.length ? String(next) : circle ? '0' : undefined;
    return { tools: all.slice(from, next), ...(more !== undefined && { nextCursor: more }) };
  }

  async call(name: string, call: WorkshopCall): Promise<WorkshopAnswer> {
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
        // Blocks the whole process, as a tool does that computes.
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

  #tools(): WorkshopTool[] {
    const tool = (name: string, properties: Record<string, { type: string }> = {}): WorkshopTool => ({
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
      ...Array.from({ length: this.#orders.extra }, (_, i) => tool(`extra-${i + 1}`)),
      ...this.#added,
    ];
  }

  /** Waits in four steps, and gives up when it is told to. */
  async #wait(ms: number, { signal, progress }: WorkshopCall): Promise<WorkshopAnswer> {
    for (let step = 1; step <= 4; step++) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms / 4);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      if (signal.aborted) {
        this.note('cancelled wait');
        return text('given up');
      }
      progress(step, 4);
    }
    return text('waited');
  }

  /** A burst of changes: one more tool and one more notification each time. */
  #change(times: number, { changed }: WorkshopCall): WorkshopAnswer {
    for (let i = 0; i < times; i++) {
      this.add();
      changed();
    }
    return text(`${this.#added.length} added`);
  }

  add(): void {
    this.#added.push({
      name: `added-${this.#added.length + 1}`,
      description: 'A tool that came later.',
      inputSchema: { type: 'object' },
    });
  }
}

function text(value: string): WorkshopAnswer {
  return { content: [{ type: 'text', text: value }] };
}
