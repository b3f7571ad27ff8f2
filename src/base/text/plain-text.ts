// Characters of untrusted text that a model or a terminal could obey: escape sequences (ECMA-48), other controls,
// bidirectional overrides, zero-width and tag characters, and lone surrogates, which removals could join to a pair.
// Joiners and single variation selectors stay, because scripts and emoji need them.
const ESCAPE_SEQUENCE =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[PX\]^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;
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
