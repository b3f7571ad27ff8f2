import { answerTooLarge } from '../answer-limit.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface ServerSentEvent {
  readonly data: string;
  /** The name of the event; empty for a plain message. */
  readonly name: string;
}

export interface EventStreamOptions {
  /** Limit for one event. The number of events has none: a stream may stay open for days. */
  readonly maxEventBytes: number;
  readonly onEvent: (event: ServerSentEvent) => void;
}

/** Reads server-sent events (WHATWG HTML, section 9.2) from chunks of bytes. A line ends with LF or CRLF. */
export class EventStream {
  readonly #options: EventStreamOptions;
  /** The line that is not complete yet. */
  #parts: Buffer[] = [];
  #eventBytes = 0;
  #data: string[] = [];
  #name = '';
  /** Of the last event that had one: where a broken stream is resumed. */
  lastEventId: string | undefined;
  /** The delay before a reconnect that the server asked for. */
  retryMs: number | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** The size of the event that is not complete yet. */
  get bufferedBytes(): number {
    return this.#eventBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#append(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#append(start === 0 ? chunk : chunk.subarray(start));
  }

  #append(part: Buffer): void {
    this.#eventBytes += part.length;
    if (this.#eventBytes > this.#options.maxEventBytes) throw answerTooLarge(this.#options.maxEventBytes);
    this.#parts.push(part);
  }

  #endLine(): void {
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    const length = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    if (length === 0) this.#endEvent();
    else this.#readField(bytes.toString('utf8', 0, length));
  }

  #readField(line: string): void {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#name = value;
    else if (field === 'id' && !value.includes('\0')) this.lastEventId = value === '' ? undefined : value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  #endEvent(): void {
    const event = {
      data: this.#data.length === 1 ? this.#data[0]! : this.#data.join('\n'),
      name: this.#name,
    };
    this.#data = [];
    this.#name = '';
    this.#eventBytes = 0;
    if (event.data !== '') this.#options.onEvent(event);
  }
}
