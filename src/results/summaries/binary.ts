import { mediaTypeNamed } from '../../base/text/media-type.ts';
import type { ContentPart } from '../../contract/call/tool-result.ts';
import { decodeBytes } from '../artifacts/parts.ts';
import { type ImageSize, imageSize } from './image-size.ts';
import { lengthOf, linesWithin } from './line-budget.ts';
import type { Summary } from './summary.ts';

/** Headers of pictures lie in here, unless somebody put a whole other picture before them. */
const MAX_HEADER_LENGTH = 87_380;

/** What kind of bytes, how many, and how large the pictures are. */
export function summarizeBinary(content: readonly ContentPart[]): Summary {
  const parts = content.map(measured).filter((part) => part !== undefined);
  const [first] = parts;
  return {
    facts: {
      format: 'binary',
      parts: parts.length,
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(first && { media_type: first.mediaType, ...first.size }),
    },
    text: (room) => {
      const title = `${parts.length} binary ${parts.length === 1 ? 'part' : 'parts'}`;
      const lines = parts.map(
        ({ mediaType, bytes, size }) =>
          `${mediaType}, ${bytes} bytes${size ? `, ${size.width} × ${size.height}` : ''}`,
      );
      return [title, ...linesWithin(lines, room - lengthOf([title]))].join('\n');
    },
  };
}

interface Bytes {
  readonly mediaType: string;
  readonly bytes: number;
  readonly size: ImageSize | undefined;
}

function measured(part: ContentPart): Bytes | undefined {
  const found = decodeBytes(part);
  if (!found) return undefined;
  const { base64, claimed } = found;
  return {
    mediaType: mediaTypeNamed(claimed) ?? 'application/octet-stream',
    bytes: Buffer.byteLength(base64, 'base64'),
    size: imageSize(Buffer.from(base64.slice(0, MAX_HEADER_LENGTH), 'base64')),
  };
}
