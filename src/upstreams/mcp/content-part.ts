import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { ContentPart, EmbeddedResource } from '../../contract/call/tool-result.ts';

/**
 * Parses one content block of a result. Invalid metadata is dropped and an invalid block is replaced by a note: the tool
 * has run, and one bad block must not lose the whole result.
 */
export function parseContentPart(block: unknown): ContentPart {
  return readPart(block) ?? { type: 'text', text: noteFor(block) };
}

function readPart(block: unknown): ContentPart | undefined {
  if (!isJsonObject(block)) return undefined;
  const part = withValidMetadata(block);
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? (part as ContentPart) : undefined;
    case 'image':
    case 'audio': {
      const data = normalizeBase64(part.data);
      if (data === undefined || typeof part.mimeType !== 'string') return undefined;
      return { ...part, type: part.type, data, mimeType: part.mimeType };
    }
    case 'resource': {
      const resource = parseResource(part.resource);
      return resource && { ...part, type: 'resource', resource };
    }
    case 'resource_link':
      if (typeof part.uri !== 'string') return undefined;
      return {
        ...part,
        type: 'resource_link',
        uri: part.uri,
        name: typeof part.name === 'string' ? part.name : part.uri,
      };
    default:
      return undefined;
  }
}

function noteFor(block: unknown): string {
  const type =
    isJsonObject(block) && typeof block.type === 'string' ? ` of type ${plainLine(block.type, 40)}` : '';
  return `[A content part${type} was dropped: it is not valid MCP.]`;
}

function withValidMetadata({ annotations, _meta, ...part }: JsonObject): JsonObject {
  return {
    ...part,
    ...(isAnnotations(annotations) && { annotations }),
    ...(isJsonObject(_meta) && { _meta }),
  };
}

function isAnnotations(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { audience, priority, lastModified } = value;
  const hasAudience =
    audience === undefined ||
    (Array.isArray(audience) && audience.every((role) => role === 'user' || role === 'assistant'));
  const hasPriority =
    priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1);
  return hasAudience && hasPriority && (lastModified === undefined || typeof lastModified === 'string');
}

function parseResource(value: unknown): EmbeddedResource | undefined {
  if (!isJsonObject(value) || typeof value.uri !== 'string') return undefined;
  if (value.mimeType !== undefined && typeof value.mimeType !== 'string') return undefined;
  const resource = value as unknown as EmbeddedResource;
  if (value.blob === undefined) return typeof value.text === 'string' ? resource : undefined;
  const blob = normalizeBase64(value.blob);
  return blob === undefined || value.text !== undefined ? undefined : { ...resource, blob };
}

/** To RFC 4648, section 4. Many servers send base64 with line breaks, without padding or in the URL alphabet. */
function normalizeBase64(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (isBase64(value)) return value;
  const digits = value
    .replace(/\s/g, '')
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const isWhole = digits.length % 4 !== 1 && /^[A-Za-z0-9+/]*$/.test(digits);
  return isWhole ? digits.padEnd(Math.ceil(digits.length / 4) * 4, '=') : undefined;
}

/** Decoding ten megabytes takes a few milliseconds, a pattern ten times as long. The decoder skips other characters. */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return false;
  const padding = /={0,2}$/.exec(text.slice(-2))![0].length;
  return Buffer.from(text, 'base64').length === (text.length / 4) * 3 - padding;
}
