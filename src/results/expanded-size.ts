const TOKEN = /\\(?:[pPxuk]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs;

/**
 * How many instructions a pattern becomes, about: `(ab){500}` is a thousand. Told from its text, because expanding the
 * repetitions is what a hostile pattern makes slow.
 */
export function expandedSize(source: string): number {
  const groups: number[] = [];
  let size = 0;
  let atom = 0;
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (token === '(') {
      groups.push(size);
      size = 0;
    } else if (token === ')') {
      atom = size;
      size += groups.pop() ?? 0;
    } else if (least !== undefined) {
      atom *= Math.max(1, Number(most || least));
      size += atom;
    } else {
      atom = 1;
      size += 1;
    }
  }
  return groups.reduce((sum, outer) => sum + outer, size);
}
