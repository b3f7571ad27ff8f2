import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { answerTooLarge } from '../answer-limit.ts';

/** Takes the bytes of a response, as they come in. */
export interface BodySink {
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

/** The encodings that `decodeBody` reads. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

export interface DecodeOptions {
  readonly encoding: string;
  readonly maxBytes: number;
  readonly sink: BodySink;
  readonly onError: (error: Error) => void;
}

/** A sink for compressed bytes. The limit also holds for these: they wait in memory to be decompressed. */
export function decodeBody({ encoding, maxBytes, sink, onError }: DecodeOptions): BodySink | undefined {
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]!() : undefined;
  if (!decoder) return undefined;
  const destroyOnError = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      decoder.destroy(error as Error);
    }
  };
  decoder.on('data', (chunk: Buffer) => destroyOnError(() => sink.push(chunk)));
  decoder.on('end', () => destroyOnError(() => sink.end()));
  decoder.on('error', (error) => onError(error));
  let bytes = 0;
  return {
    push: (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes) throw answerTooLarge(maxBytes);
      decoder.write(chunk);
    },
    end: () => void decoder.end(),
  };
}
