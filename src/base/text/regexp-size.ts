/** Tokens that compile to nothing: a repetition behind one of them repeats the item before it. */
const NO_ITEM = /^(?:\(\?[a-zA-Z-]*\)|\\Q\\E|\\E)$/;
/**
 * One token of a pattern: a quoted run, an escape, a class, flags, the start of a group, a repetition, or a character.
 * An unclosed token runs to the end of the text, so that no text makes the scan quadratic.
 */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\(?:[pP]\{\^?\w+\}|x\{[\da-fA-F]+\}|.)|\[(?:\\.?|[^\]\\])*(?:\]|$)|\(\?[a-zA-Z-]*[:)]|\(\?P?<[^>]*(?:>|$)|\{(\d+)(,(\d*))?\}\??|[*+?]\??|./gs;

/** The instructions that begin and end every program. */
const FRAME = 2;
const CAPTURE = 2;
/** A ceiling far above every limit: sums stay finite, however often repetitions are nested. */
const MAX_ATOM = 1e12;

/**
 * An upper bound of the instructions that a pattern compiles to: repetitions are copied out, a capturing group takes two
 * instructions, each optional copy one. It reads the text alone, because compiling a hostile pattern is the slow part.
 */
export function expandedSize(pattern: string): number {
  const open: { readonly size: number; readonly cost: number }[] = [];
  let size = 0;
  // The size of the last item, which a repetition multiplies; 0 where the alternative is still empty.
  let atom = 0;
  for (const [token, least, comma, most] of pattern.matchAll(TOKEN)) {
    if (NO_ITEM.test(token)) continue;
    if (token === ')') {
      const { size: before, cost } = open.pop() ?? { size: 0, cost: 0 };
      atom = size + emptySize(atom) + cost;
      size = before + atom;
    } else if (token === '|') {
      size += 1 + emptySize(atom);
      atom = 0;
    } else if (token.startsWith('(')) {
      open.push({ size, cost: token.endsWith(':') ? 0 : CAPTURE });
      size = 0;
      atom = 0;
    } else if (least !== undefined || /^[*+?]/.test(token)) {
      const before = size - atom;
      atom = Math.min(
        least === undefined
          ? atom + (token.startsWith('*') ? 2 : 1)
          : repeatedSize(atom, least, comma && most),
        MAX_ATOM,
      );
      size = before + atom;
    } else {
      // A repetition after a quoted run repeats its last character alone.
      size += token.startsWith('\\Q') ? token.length : 1;
      atom = 1;
    }
  }
  return open.reduce((sum, group) => sum + group.size + group.cost, size + emptySize(atom)) + FRAME;
}

/** An empty alternative is one instruction that does nothing. */
function emptySize(atom: number): number {
  return atom === 0 ? 1 : 0;
}

/** Of `x{least}`, `x{least,}` (where `most` is empty) and `x{least,most}`. */
function repeatedSize(atom: number, least: string, most: string | undefined): number {
  const required = Number(least);
  if (most === '') return Math.max(required, 1) * atom + 2;
  const copies = most === undefined ? required : Math.max(Number(most), required);
  return Math.max(copies * atom + (copies - required), 1);
}
