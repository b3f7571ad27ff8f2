import { mediaTypeNamed } from '../../base/text/media-type.ts';
import type { ContentPart } from '../../contract/call/tool-result.ts';
import { readBinary } from '../artifacts/parts.ts';
import { type ImageSize, imageSize } from './image-size.ts';
import { lengthOf, takeLines } from './line-budget.ts';
import type { Summary } from './summary.ts';

/** Base64 characters that contain an image header, unless a large thumbnail precedes it. */
const MAX_HEADER_LENGTH = 87_380;

/** Names the types of the bytes, their number, and the dimensions of images. */
export function summarizeBinary(content: readonly ContentPart[]): Summary {
  const parts = content.map(measurePart).filter((part) => part !== undefined);
  const [first] = parts;
  return {
    facts: {
      format: 'binary',
      parts: parts.length,
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(first && { media_type: first.mediaType, ...first.size }),
    },
    text: (maxLength) => {
      const title = `${parts.length} binary ${parts.length === 1 ? 'part' : 'parts'}`;
      const lines = parts.map(
        ({ mediaType, bytes, size }) =>
          `${mediaType}, ${bytes} bytes${size ? `, ${size.width} × ${size.height}` : ''}`,
      );
      return [title, ...takeLines(lines, maxLength - lengthOf([title]))].join('\n');
    },
  };
}

interface BinaryPart {
  readonly mediaType: string;
  readonly bytes: number;
  readonly size: ImageSize | undefined;
}

function measurePart(part: ContentPart): BinaryPart | undefined {
  const binary = readBinary(part);
  if (!binary) return undefined;
  const { base64, claimed } = binary;
  return {
    mediaType: mediaTypeNamed(claimed) ?? 'application/octet-stream',
    bytes: Buffer.byteLength(base64, 'base64'),
    size: imageSize(Buffer.from(base64.slice(0, MAX_HEADER_LENGTH), 'base64')),
  };
}
