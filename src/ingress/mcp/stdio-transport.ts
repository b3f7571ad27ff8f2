import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isJsonObject } from '../../base/json/json.ts';
import { isRequestId } from './check-message.ts';

interface Batch {
  readonly waiting: Set<RequestId>;
  readonly responses: JSONRPCMessage[];
}

/** Standard streams with batches, which the SDK does not support: the responses to a batch are sent as one batch. */
export class StdioTransport extends StdioServerTransport {
  readonly #batches = new Map<RequestId, Batch>();
  #protocolVersion: string | undefined;

  /** The negotiated version; undefined before the handshake. */
  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  /** Registers the requests of a batch, before they reach the server one by one. */
  openBatch(messages: readonly unknown[]): void {
    const ids = messages.flatMap((message) =>
      isJsonObject(message) && 'method' in message && isRequestId(message.id) ? [message.id] : [],
    );
    const batch: Batch = { waiting: new Set(ids), responses: [] };
    for (const id of ids) this.#batches.set(id, batch);
  }

  /** A cancelled request has no response, so its batch does not wait for one. */
  cancelInBatch(id: RequestId): void {
    const batch = this.#batches.get(id);
    if (batch) void this.#settle(batch, id);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const id = 'method' in message ? undefined : message.id;
    const batch = id === undefined ? undefined : this.#batches.get(id);
    if (!batch) return super.send(message);
    batch.responses.push(message);
    return this.#settle(batch, id!);
  }

  async #settle(batch: Batch, id: RequestId): Promise<void> {
    this.#batches.delete(id);
    batch.waiting.delete(id);
    if (batch.waiting.size > 0 || batch.responses.length === 0) return;
    // The SDK has no type for a batch, and serializes it like any message.
    await super.send(batch.responses as unknown as JSONRPCMessage);
  }
}
