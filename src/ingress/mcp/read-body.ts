import type { IncomingMessage } from 'node:http';
import { type MessageLimits, tooLarge } from './parse-message.ts';

/** Memory for bodies that are still being received (bytes). The listener ends a slow one after its request timeout. */
const MAX_UNFINISHED_BYTES = 256 * 1024 * 1024;
/** A body up to this size is accepted in any case, so that large ones cannot keep small ones out (bytes). */
const SMALL_BODY_BYTES = 64 * 1024;

/** Reads the bodies of requests. Those that are not complete yet share a limited amount of memory. */
export class BodyReader {
  readonly #limits: MessageLimits;
  #unfinishedBytes = 0;

  constructor(limits: MessageLimits) {
    this.#limits = limits;
  }

  /** Undefined where there is no memory for the body. Rejects where it is too large, or its client disconnects. */
  async read(request: IncomingMessage): Promise<Uint8Array | undefined> {
    const { maxBytes } = this.#limits;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(this.#limits);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
    const chunks: Buffer[] = [];
    let length = 0;
    let isRefused = false;
    request.on('data', (chunk: Buffer) => {
      // The rest is read and dropped: a client may read its response only after it has sent everything.
      if (isRefused) return;
      length += chunk.byteLength;
      this.#unfinishedBytes += chunk.byteLength;
      chunks.push(chunk);
      const isFull = length > SMALL_BODY_BYTES && this.#unfinishedBytes > MAX_UNFINISHED_BYTES;
      if (length <= maxBytes && !isFull) return;
      isRefused = true;
      chunks.length = 0;
      if (isFull) resolve(undefined);
      else reject(tooLarge(this.#limits));
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
    try {
      return await promise;
    } finally {
      this.#unfinishedBytes -= length;
    }
  }
}
