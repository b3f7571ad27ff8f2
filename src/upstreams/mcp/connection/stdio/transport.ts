import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../../../base/json/json.ts';
import { answerTooLarge, failedRequest } from '../answer-limit.ts';
import type { StdioTarget } from '../target.ts';
import { type Line, LineSplitter } from './line-splitter.ts';
import { COST, OutputBudget } from './output-budget.ts';
import { type MessageId, parseOversizedAnswer } from './oversized-answer.ts';
import { ProcessGroup } from './process-group.ts';

export interface StdioOptions {
  readonly maxAnswerBytes: number;
  /** Gets a defect of the server that its operator should correct. */
  readonly onWarning: (message: string) => void;
}

const FLOOD =
  'the server writes more notifications, or text that is not MCP, than the gateway reads; its output is slowed down';
const FIRST_MODERN_VERSION = '2026-07-28';
/** The last output of a process may still be in its pipe when it exits. A child of it may hold the pipe for ever. */
const LAST_OUTPUT_MS = 1_000;
const MAX_STDERR_BYTES = 8_192;
/** Bytes that are skipped cost less time than bytes that are parsed. */
const SKIPPED_BYTES_DISCOUNT = 16;

/**
 * MCP over the standard streams of a child process. Unlike the transport of the SDK it ends the whole process group, fails
 * only the call whose answer is too large, and limits the time that it spends on output that nobody waits for.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #target: StdioTarget;
  readonly #options: StdioOptions;
  readonly #lines: LineSplitter;
  readonly #budget = new OutputBudget();
  /** The methods of the requests without an answer, oldest first. */
  readonly #pending = new Map<MessageId, string>();
  #group: ProcessGroup | undefined;
  #stderr: Buffer = Buffer.alloc(0);
  #drained: Promise<void> | undefined;
  #isModern = false;
  #isClosed = false;
  #isPaused = false;
  #hasFlooded = false;

  constructor(target: StdioTarget, options: StdioOptions) {
    this.#target = target;
    this.#options = options;
    this.#lines = new LineSplitter(options.maxAnswerBytes);
  }

  /** The SDK recognises a stdio transport by its members `pid` and `stderr`. */
  get pid(): number | null {
    return this.#group?.child.pid ?? null;
  }

  get stderr(): Readable | null {
    return this.#group?.child.stderr ?? null;
  }

  /** The last part of what the process wrote to its standard error. */
  stderrText(): string {
    return this.#stderr.toString('utf8');
  }

  setProtocolVersion(version: string): void {
    this.#isModern = version >= FIRST_MODERN_VERSION;
  }

  /** Resolves when the process runs, and rejects where it cannot be started. */
  async start(): Promise<void> {
    if (this.#isClosed) throw notConnected();
    this.#group = new ProcessGroup(this.#target);
    const { child } = this.#group;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('spawn', resolve);
    child.on('error', reject);
    child.once('exit', () => setTimeout(() => this.#closed(), LAST_OUTPUT_MS).unref());
    child.stdout.once('close', () => this.#closed());
    child.stdout.on('data', (chunk: Buffer) => {
      this.#lines.push(chunk);
      if (!this.#isPaused) this.#readLines();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      const end = Buffer.concat([this.#stderr, chunk.subarray(-MAX_STDERR_BYTES)]);
      this.#stderr = end.subarray(-MAX_STDERR_BYTES);
    });
    // A write to a process that is gone. The end of its output shows the same, and closes the connection.
    child.stdin.on('error', () => {});
    return promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#group?.child.stdin;
    if (this.#isClosed || !stdin?.writable) throw notConnected();
    if ('method' in message) this.#noteSent(message);
    if (stdin.write(`${JSON.stringify(message)}\n`)) return;
    this.#drained ??= waitForDrain(stdin).finally(() => {
      this.#drained = undefined;
    });
    await this.#drained;
  }

  /** Resolves when the process group has ended, after a few seconds at most. */
  async close(): Promise<void> {
    this.#closed();
    await this.#group?.end();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#group?.end();
    this.onclose?.();
  }

  #noteSent(message: Extract<JSONRPCMessage, { method: string }>): void {
    if ('id' in message) this.#pending.set(message.id, message.method);
    // A server does not have to answer a request that was cancelled.
    else if (message.method === 'notifications/cancelled')
      this.#pending.delete(message.params?.requestId as MessageId);
  }

  #readLines(): void {
    for (let line = this.#lines.next(); line; line = this.#lines.next()) {
      this.#read(line);
      const wait = this.#budget.waitMs();
      if (wait > 0) return void this.#pauseReading(wait);
    }
  }

  /** The server waits while its pipe is full, so nothing that it writes is lost. */
  #pauseReading(ms: number): void {
    const stdout = this.#group?.child.stdout;
    stdout?.pause();
    this.#isPaused = true;
    if (this.#budget.isExhausted && !this.#hasFlooded) {
      this.#hasFlooded = true;
      this.#options.onWarning(FLOOD);
    }
    const timer = setTimeout(() => {
      this.#isPaused = false;
      this.#readLines();
      if (!this.#isPaused) stdout?.resume();
    }, ms);
    timer.unref();
  }

  #read(line: Line): void {
    if (this.#isClosed) return;
    if (line.kind === 'oversized') this.#failOversized(line);
    // Cheaper than the exception of the parser.
    else if (!/^\s*\{/.test(line.text)) this.#budget.spend(COST.text, line.bytes);
    else this.#readMessage(line);
  }

  #readMessage(line: Extract<Line, { kind: 'complete' }>): void {
    const message = parseMessage(line.text);
    if (!message) this.#budget.spend(COST.brokenJson, line.bytes);
    else if (message.method !== undefined) this.#readUnasked(message, line.bytes);
    else if (this.#settle(message.id)) this.onmessage?.(message as unknown as JSONRPCMessage);
    else this.#budget.spend(COST.unknownAnswer, line.bytes);
  }

  /** A notification, or a request of the server. */
  #readUnasked(message: JsonObject, bytes: number): void {
    this.#budget.spend(COST.notification, bytes);
    if (this.#isModern && message.id !== undefined) this.#refuse(message);
    else this.onmessage?.(message as unknown as JSONRPCMessage);
  }

  /** Whether a request with this id waited for its answer. Some servers answer with the id as a text. */
  #settle(id: unknown): boolean {
    return (
      this.#pending.delete(id as MessageId) || (typeof id === 'string' && this.#pending.delete(Number(id)))
    );
  }

  /**
   * Fails the one request whose answer is too large. Where its id is at neither end of the line, the oldest call fails:
   * one of them has lost its answer and would wait for it until its deadline.
   */
  #failOversized({ head, tail, bytes }: Extract<Line, { kind: 'oversized' }>): void {
    this.#budget.spend(COST.text, bytes / SKIPPED_BYTES_DISCOUNT);
    const answer = parseOversizedAnswer(head, tail);
    if (!answer) return;
    const id = answer.id ?? [...this.#pending].find(([, method]) => method === 'tools/call')?.[0];
    if (id === undefined || !this.#settle(id)) return;
    this.onmessage?.(failedRequest(id, answerTooLarge(this.#options.maxAnswerBytes)));
  }

  /**
   * MCP of the newer era has no requests from the server, and the SDK drops them. A server that sends one waits for its
   * answer, and the caller with it: the refusal lets the server go on, or fail at once.
   */
  #refuse({ id, method }: JsonObject): void {
    const { MethodNotFound: code } = ProtocolErrorCode;
    const answer =
      method === 'ping'
        ? { result: {} }
        : { error: { code, message: `The gateway cannot answer ${method}` } };
    void this.send({ jsonrpc: '2.0', id, ...answer } as JSONRPCMessage).catch(() => {});
  }
}

function parseMessage(text: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function waitForDrain(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    stdin.once('drain', resolve);
    stdin.once('close', resolve);
  });
}

function notConnected(): SdkError {
  return new SdkError(SdkErrorCode.NotConnected, 'Not connected');
}
