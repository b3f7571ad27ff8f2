import type { ContentPart } from '../../contract/content.ts';
import { isJsonObject, type JsonObject } from '../../contract/json.ts';

/**
 * A block of an answer as the protocol has it, or undefined. What is wrong beside the content itself is left out: the
 * tool has run, and its answer must not be lost for a bad annotation.
 */
export function contentPartIn(block: unknown): ContentPart | undefined {
  if (!isJsonObject(block)) return undefined;
  const part = withGoodExtras(block);
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? (part as ContentPart) : undefined;
    case 'image':
    case 'audio':
      return isBase64(part.data) && typeof part.mimeType === 'string' ? (part as ContentPart) : undefined;
    case 'resource':
      return isResource(part.resource) ? (part as unknown as ContentPart) : undefined;
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

function withGoodExtras({ annotations, _meta, ...part }: JsonObject): JsonObject {
  return {
    ...part,
    ...(isAnnotations(annotations) && { annotations }),
    ...(isJsonObject(_meta) && { _meta }),
  };
}

function isAnnotations(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { audience, priority, lastModified } = value;
  const reaches =
    audience === undefined ||
    (Array.isArray(audience) && audience.every((who) => who === 'user' || who === 'assistant'));
  const ranks = priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1);
  return reaches && ranks && (lastModified === undefined || typeof lastModified === 'string');
}

function isResource(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.uri !== 'string') return false;
  if (value.mimeType !== undefined && typeof value.mimeType !== 'string') return false;
  return value.blob === undefined
    ? typeof value.text === 'string'
    : isBase64(value.blob) && value.text === undefined;
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}
