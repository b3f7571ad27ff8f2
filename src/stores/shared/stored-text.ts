/** PostgreSQL cannot store U+0000, and a backslash marks escaped text. */
const ESCAPED = /[\0\\]/;

/**
 * Text in a form that both engines can store: PostgreSQL refuses U+0000, and UTF-8, which both drivers write, cannot
 * encode half a surrogate pair. JSON has an escape for both. Each text has one form, so equal texts are equal columns.
 */
export function toStoredText(text: string): string {
  return text.isWellFormed() && !ESCAPED.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

export function fromStoredText(stored: string): string {
  return stored.includes('\\') ? (JSON.parse(`"${stored}"`) as string) : stored;
}
