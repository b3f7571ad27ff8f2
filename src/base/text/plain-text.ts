// Upstreams wrote these characters, and a model or a terminal would obey some of them: escape sequences (ECMA-48), other
// controls, bidirectional overrides, zero-width and tag characters, halves of surrogate pairs that would meet once
// what stood between them is gone. Joiners and variation selectors stay: scripts and emoji need them, one at a time.
const ESCAPE_SEQUENCE =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[PX\]^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;
const UNWANTED =
  /(?![\t\n\r\p{Join_Control}\p{Variation_Selector}])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
// The second selector after a character selects nothing: a run of them is a hidden message.
const SELECTOR_RUN = /(?<=\p{Variation_Selector})\p{Variation_Selector}+/gu;
const BEYOND_PLAIN_ASCII = /[^\t\n\r -~]/;

/** Foreign text as a reader may see it: same words, lines and tabs, nothing that hides or commands. */
export function plainText(text: string): string {
  if (!BEYOND_PLAIN_ASCII.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCE, '').replace(UNWANTED, '').replace(SELECTOR_RUN, '');
}

/** The same on one line, white space folded, cut to `limit` characters. */
export function plainLine(text: string, limit = 256): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  // Half a surrogate pair is not a character.
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
