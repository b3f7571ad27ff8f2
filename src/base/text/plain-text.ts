// Characters of untrusted text that a model or a terminal could obey: escape sequences (ECMA-48), other controls,
// bidirectional overrides, zero-width and tag characters, and lone surrogates, which removals could join to a pair.
// Joiners and single variation selectors stay, because scripts and emoji need them.
// A sequence starts with an escape character, or with the C1 control that means the same.
const ESCAPE_SEQUENCE =
  /(?:\u001b\[[0-?]*|\u009b[0-?]+)[ -/]*[@-~]|(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
const INVISIBLE =
  /(?![\t\n\r\p{Join_Control}\p{Variation_Selector}])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
// A second selector after a character has no effect, so a run of selectors can only hide a message.
const SELECTOR_RUN = /(?<=\p{Variation_Selector})\p{Variation_Selector}+/gu;
const NOT_PRINTABLE_ASCII = /[^\t\n\r -~]/;

/** Removes escape sequences, controls and invisible characters from untrusted text; keeps lines and tabs. */
export function plainText(text: string): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCE, '').replace(INVISIBLE, '').replace(SELECTOR_RUN, '');
}

/** The same as one line: white space folded, cut to `limit` characters. */
export function plainLine(text: string, limit = 256): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  // The cut must not leave half a surrogate pair.
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Escapes in JSON text what `plainText` removes: the value stays the same, and a terminal obeys none of it. */
export function escapeHidden(json: string): string {
  if (!NOT_PRINTABLE_ASCII.test(json)) return json;
  return json.replace(INVISIBLE, escapeUnits).replace(SELECTOR_RUN, escapeUnits);
}

function escapeUnits(text: string): string {
  return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
