import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../base/text/utf8.ts';
import { readFlag, readInteger } from './parameters.ts';
import type { Selector } from './selector.ts';

const BYTES_PER_PAGE = 3_000;

/**
 * Bytes from a position, the end excluded: as text where they are UTF-8, otherwise or on request as `base64:…`. Text is
 * sanitized before it is returned; base64 has every byte.
 */
export const bytes: Selector = {
  parameters: ['start', 'end', 'base64'],
  select(artifact, parameters, maxLength) {
    const total = artifact.bytes.byteLength;
    const start = readInteger(parameters, 'start', 0, 0);
    const requestedEnd = readInteger(parameters, 'end', start + BYTES_PER_PAGE, start + 1);
    const asBase64 = readFlag(parameters, 'base64');
    const range = artifact.bytes.subarray(start, Math.min(requestedEnd, start + maxBytes(maxLength)));
    const characters = asBase64 ? range : withoutPartialCharacter(range);
    const isText = !asBase64 && isUtf8(characters);
    const taken = isText ? characters : range;
    const end = start + taken.byteLength;
    return {
      text: isText
        ? decodeUtf8(taken)
        : `base64:${Buffer.from(taken.buffer, taken.byteOffset, taken.byteLength).toString('base64')}`,
      totals: { bytes: total },
      ...(end < total && {
        next: {
          bytes: {
            start: end,
            end: Math.min(end + BYTES_PER_PAGE, total),
            ...(asBase64 && { base64: true }),
          },
        },
      }),
    };
  },
};

/** As many bytes as fit in base64, and at least one character. */
function maxBytes(maxLength: number): number {
  return Math.max(Math.floor(maxLength / 4) * 3 - 6, 4);
}

/** Drops an incomplete UTF-8 character at the end, unless nothing else would be left. */
function withoutPartialCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.byteLength - 1); back++) {
    const byte = bytes[bytes.byteLength - back]!;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.byteLength - back) : bytes;
  }
  return bytes;
}
