import { isUtf8 } from 'node:buffer';
import { runCooperatively } from '../base/async/cooperative.ts';
import { isText, mediaTypeNamed } from '../base/text/media-type.ts';
import type { ContentPart, EmbeddedResource } from '../contract/call/tool-result.ts';
import { redaction } from './redact.ts';
import { jsonRedaction } from './redact-json.ts';
import type { RuleSet } from './rule-set.ts';

/** How what an answer is made of loses its secrets. */
export interface Redactor {
  text(text: string): Promise<string>;
  structured(value: unknown): Promise<unknown>;
  /** Addresses, titles, annotations: what comes along with a part. */
  extras(value: unknown): Promise<unknown>;
}

export function redactorBy(rules: RuleSet): Redactor {
  const value = async (told: unknown): Promise<unknown> =>
    (await runCooperatively(jsonRedaction(told, rules))).value;
  return {
    text: async (text) => (await runCooperatively(redaction(text, rules))).text,
    structured: value,
    extras: value,
  };
}

/**
 * A part without its secrets, its members in their order: what a model reads of it, what is text though it came as bytes,
 * and whatever came along.
 */
export async function redactPart(part: ContentPart, redactor: Redactor): Promise<ContentPart> {
  switch (part.type) {
    case 'text': {
      const { type: _, text, ...rest } = part;
      return { ...part, ...(await members(rest, redactor)), text: await redactor.text(text) };
    }
    case 'image':
    case 'audio': {
      const { type: _, data, ...rest } = part;
      return {
        ...part,
        ...(await members(rest, redactor)),
        data: await redactBytes(data, part.mimeType, redactor),
      };
    }
    case 'resource': {
      const { type: _, resource, ...rest } = part;
      return {
        ...part,
        ...(await members(rest, redactor)),
        resource: await redactResource(resource, redactor),
      };
    }
    case 'resource_link':
      return members(part, redactor);
  }
}

async function redactResource(resource: EmbeddedResource, redactor: Redactor): Promise<EmbeddedResource> {
  const { text, blob, ...rest } = resource;
  return {
    ...resource,
    ...(await members(rest, redactor)),
    ...(text !== undefined && { text: await redactor.text(text) }),
    ...(blob !== undefined && { blob: await redactBytes(blob, resource.mimeType, redactor) }),
  };
}

async function members<Members extends object>(holder: Members, redactor: Redactor): Promise<Members> {
  if (Object.keys(holder).length === 0) return holder;
  return (await redactor.extras(holder)) as Members;
}

/** Bytes are text when they can be read as UTF-8, and when they are said to be. Pictures and the like are neither. */
async function redactBytes(base64: string, claimed: unknown, redactor: Redactor): Promise<string> {
  const bytes = Buffer.from(base64, 'base64');
  const isSaid = isText(mediaTypeNamed(claimed) ?? '');
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  if (!isSaid && (encoding !== 'utf8' || bytes.includes(0))) return base64;
  const text = bytes.toString(encoding);
  const redacted = await redactor.text(text);
  return redacted === text ? base64 : Buffer.from(redacted, encoding).toString('base64');
}
