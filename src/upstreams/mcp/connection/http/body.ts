import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { answerTooLarge } from '../answer-limit.ts';
import type { Pausable } from './large-answers.ts';

/** Takes the bytes of a response, as they come in. */
export interface BodySink {
  /** What is in memory until more bytes come. */
  readonly bufferedBytes: number;
  push(chunk: Buffer): void;
  end(): void;
}

export interface WholeBodyOptions {
  readonly maxBytes: number;
  readonly onBody: (text: string) => void;
}

/** Collects a body that is read as one text. */
export class WholeBody implements BodySink {
  readonly #options: WholeBodyOptions;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: WholeBodyOptions) {
    this.#options = options;
  }

  get bufferedBytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    const { maxBytes } = this.#options;
    this.#bytes += chunk.length;
    if (this.#bytes > maxBytes) throw answerTooLarge(maxBytes);
    this.#chunks.push(chunk);
  }

  end(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#options.onBody(body.toString('utf8'));
  }
}

const DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The encodings that a decoder reads. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

export interface DecoderOptions {
  readonly encoding: string;
  readonly maxBytes: number;
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: () => void;
  readonly onError: (error: Error) => void;
}

/** Takes compressed bytes. */
export interface Decoder extends Pausable {
  push(chunk: Buffer): void;
  end(): void;
}

/** The size limit also holds for the compressed bytes: they wait in memory to be decompressed. */
export function openDecoder({
  encoding,
  maxBytes,
  onData,
  onEnd,
  onError,
}: DecoderOptions): Decoder | undefined {
  const stream = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]!() : undefined;
  if (!stream) return undefined;
  const destroyOnError = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      stream.destroy(error as Error);
    }
  };
  stream.on('data', (chunk: Buffer) => destroyOnError(() => onData(chunk)));
  stream.on('end', () => destroyOnError(onEnd));
  stream.on('error', onError);
  let bytes = 0;
  return {
    push: (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes) throw answerTooLarge(maxBytes);
      stream.write(chunk);
    },
    end: () => void stream.end(),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
  };
}
