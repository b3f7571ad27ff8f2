import { isUtf8 } from 'node:buffer';
import { runCooperatively } from '../base/async/cooperative.ts';
import { isText, mediaTypeNamed } from '../base/text/media-type.ts';
import type { ContentPart, EmbeddedResource } from '../contract/call/tool-result.ts';
import { redactInSteps } from './redact.ts';
import { redactJsonInSteps } from './redact-json.ts';
import type { RuleSet } from './rule-set.ts';

/** Redacts the components of a tool result. */
export interface Redactor {
  redactText(text: string): Promise<string>;
  redactStructured(value: unknown): Promise<unknown>;
  /** The other members of a part: URIs, titles, annotations. */
  redactExtras(value: unknown): Promise<unknown>;
}

export function makeRedactor(rules: RuleSet): Redactor {
  const redactValue = async (value: unknown): Promise<unknown> =>
    (await runCooperatively(redactJsonInSteps(value, rules))).value;
  return {
    redactText: async (text) => (await runCooperatively(redactInSteps(text, rules))).text,
    redactStructured: redactValue,
    redactExtras: redactValue,
  };
}

/** Redacts the text, the textual bytes and all other members of a part, and keeps the order of its members. */
export async function redactPart(part: ContentPart, redactor: Redactor): Promise<ContentPart> {
  switch (part.type) {
    case 'text': {
      const { type: _, text, ...rest } = part;
      return { ...part, ...(await redactMembers(rest, redactor)), text: await redactor.redactText(text) };
    }
    case 'image':
    case 'audio': {
      const { type: _, data, ...rest } = part;
      return {
        ...part,
        ...(await redactMembers(rest, redactor)),
        data: await redactBytes(data, part.mimeType, redactor),
      };
    }
    case 'resource': {
      const { type: _, resource, ...rest } = part;
      return {
        ...part,
        ...(await redactMembers(rest, redactor)),
        resource: await redactResource(resource, redactor),
      };
    }
    case 'resource_link':
      return redactMembers(part, redactor);
  }
}

async function redactResource(resource: EmbeddedResource, redactor: Redactor): Promise<EmbeddedResource> {
  const { text, blob, ...rest } = resource;
  return {
    ...resource,
    ...(await redactMembers(rest, redactor)),
    ...(text !== undefined && { text: await redactor.redactText(text) }),
    ...(blob !== undefined && { blob: await redactBytes(blob, resource.mimeType, redactor) }),
  };
}

async function redactMembers<Members extends object>(members: Members, redactor: Redactor): Promise<Members> {
  if (Object.keys(members).length === 0) return members;
  return (await redactor.redactExtras(members)) as Members;
}

/** Bytes count as text where they are valid UTF-8 or their media type declares text. Images and audio are neither. */
async function redactBytes(base64: string, mimeType: unknown, redactor: Redactor): Promise<string> {
  const bytes = Buffer.from(base64, 'base64');
  const isDeclaredText = isText(mediaTypeNamed(mimeType) ?? '');
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  if (!isDeclaredText && (encoding !== 'utf8' || bytes.includes(0))) return base64;
  const text = bytes.toString(encoding);
  const redacted = await redactor.redactText(text);
  return redacted === text ? base64 : Buffer.from(redacted, encoding).toString('base64');
}
