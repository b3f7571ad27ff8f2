import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
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

/** Work between two turns of the event loop, in characters; each part costs some beside its text. */
const TURN_COST = 262_144;
const PART_COST = 1_024;

/** Redacts the parts of a result. Other work may run in between: there may be a hundred thousand of them. */
export async function redactParts(
  parts: readonly ContentPart[],
  redactor: Redactor,
): Promise<readonly ContentPart[]> {
  const redacted: ContentPart[] = [];
  let cost = 0;
  for (const part of parts) {
    cost += PART_COST + (part.type === 'text' ? part.text.length : 0);
    if (cost >= TURN_COST) {
      cost = 0;
      await nextTurn();
    }
    redacted.push(await redactPart(part, redactor));
  }
  return redacted;
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
  const isDeclaredText = isText(mediaTypeNamed(mimeType) ?? '');
  if (!isDeclaredText && isBinaryStart(base64)) return base64;
  const bytes = Buffer.from(base64, 'base64');
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  if (!isDeclaredText && (encoding !== 'utf8' || bytes.includes(0))) return base64;
  const text = bytes.toString(encoding);
  const redacted = await redactor.redactText(text);
  return redacted === text ? base64 : Buffer.from(redacted, encoding).toString('base64');
}

/** Length in base64, so that it ends with a whole byte. */
const START_LENGTH = 4_096;
/** A character that the cut divided. */
const DIVIDED_CHARACTER = /[\xc0-\xff][\x80-\xbf]{0,2}$/;

/** Whether the first bytes show that none of them are text, so that megabytes of a picture need no decoding. */
function isBinaryStart(base64: string): boolean {
  if (base64.length <= START_LENGTH) return false;
  const start = Buffer.from(base64.slice(0, START_LENGTH), 'base64').toString('latin1');
  const whole = Buffer.from(start.replace(DIVIDED_CHARACTER, ''), 'latin1');
  return whole.includes(0) || !isUtf8(whole);
}
