/** PostgreSQL cannot hold the one; the other marks a text that was escaped. */
const ESCAPED = /[\0\\]/;

/**
 * Text in a form that both engines can hold: PostgreSQL refuses U+0000, and UTF-8, which both drivers write, has no form
 * for half a surrogate pair. JSON has an escape for either. One text has one form, so columns compare as the texts do.
 */
export function toStoredText(text: string): string {
  return text.isWellFormed() && !ESCAPED.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

export function fromStoredText(stored: string): string {
  return stored.includes('\\') ? (JSON.parse(`"${stored}"`) as string) : stored;
}
