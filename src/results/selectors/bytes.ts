import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../base/text/utf8.ts';
import { flag, wholeNumber } from './parameters.ts';
import type { Selector } from './selector.ts';

const BYTES_A_PAGE = 3_000;

/**
 * Bytes from a position, the end excluded: as text where they are UTF-8, else, or where asked for, as `base64:…`. Text is
 * shown without what hides and commands; base64 is every byte.
 */
export const bytes: Selector = {
  parameters: ['start', 'end', 'base64'],
  select(artifact, parameters, room) {
    const total = artifact.bytes.byteLength;
    const start = wholeNumber(parameters, 'start', 0, 0);
    const asked = wholeNumber(parameters, 'end', start + BYTES_A_PAGE, start + 1);
    const asBase64 = flag(parameters, 'base64');
    const wanted = artifact.bytes.subarray(start, Math.min(asked, start + bytesWithin(room)));
    const shown = asBase64 ? wanted : untorn(wanted);
    const isText = !asBase64 && isUtf8(shown);
    const taken = isText ? shown : wanted;
    const end = start + taken.byteLength;
    return {
      text: isText
        ? decodeUtf8(taken)
        : `base64:${Buffer.from(taken.buffer, taken.byteOffset, taken.byteLength).toString('base64')}`,
      totals: { bytes: total },
      ...(end < total && {
        next: {
          bytes: { start: end, end: Math.min(end + BYTES_A_PAGE, total), ...(asBase64 && { base64: true }) },
        },
      }),
    };
  },
};

/** As many as fit in base64, and never less than one character. */
function bytesWithin(room: number): number {
  return Math.max(Math.floor(room / 4) * 3 - 6, 4);
}

/** Without a character at the end that is not all there, unless that is all there is. */
function untorn(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.byteLength - 1); back++) {
    const byte = bytes[bytes.byteLength - back]!;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.byteLength - back) : bytes;
  }
  return bytes;
}
