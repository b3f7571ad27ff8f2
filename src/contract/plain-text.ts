// Upstreams wrote these characters, and a model or a terminal would obey some of them: escape sequences, other
// controls, bidirectional overrides, zero-width and tag characters. Joiners stay: scripts and emoji need them.
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;
const UNWANTED =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const SUSPECT =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40/;

/** Foreign text as a reader may see it: same words, lines and tabs, nothing that hides or commands. */
export function plainText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCE, '').replace(UNWANTED, '');
}

/** The same on one line, white space folded, cut to `limit` characters. */
export function plainLine(text: string, limit = 256): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  // Half a surrogate pair is not a character.
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
