import { plainLine, plainText } from '../base/text/plain-text.ts';

const MAX_TITLE_LENGTH = 128;
const MAX_DESCRIPTION_LENGTH = 8_192;
const MAX_TAGS = 64;
const MAX_TAG_LENGTH = 24;
/** Longer texts are cut before they are sanitized: sanitizing megabytes would block the event loop. */
export const MAX_READ_LENGTH: number = 4 * MAX_DESCRIPTION_LENGTH;

export function titleOf(title: unknown): string | undefined {
  return typeof title === 'string' ? printableLine(title, MAX_TITLE_LENGTH) : undefined;
}

export function descriptionOf(description: unknown): string {
  return typeof description === 'string'
    ? plainText(description.slice(0, MAX_READ_LENGTH)).slice(0, MAX_DESCRIPTION_LENGTH).trim()
    : '';
}

export function tagsOf(tags: unknown): readonly string[] {
  if (!Array.isArray(tags)) return [];
  const texts = tags
    .slice(0, MAX_TAGS)
    .flatMap((tag) => (typeof tag === 'string' ? [printableLine(tag, MAX_TAG_LENGTH)] : []));
  return [...new Set(texts)].filter((tag) => tag !== '').sort();
}

export function printableLine(text: string, limit?: number): string {
  return plainLine(text.slice(0, MAX_READ_LENGTH), limit);
}
