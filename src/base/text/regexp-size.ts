/**
 * How many instructions a pattern becomes, about: `(ab){500}` is a thousand. Told from its text, because expanding the
 * repetitions is what a hostile pattern makes slow.
 */
export function expandedSize(source: string): number {
  const groups: number[] = [];
  let size = 0;
  let atom = 0;
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!;
    if (character === '(') {
      groups.push(size);
      size = 0;
      atom = 0;
    } else if (character === ')') {
      atom = size;
      size += groups.pop() ?? 0;
    } else if (character === '{') {
      size += atom * (timesAt(source, i) - 1);
      i = endOf(source, i, '}');
    } else {
      if (character === '\\') i = endOfEscape(source, i);
      else if (character === '[') i = endOfClass(source, i);
      atom = 1;
      size += 1;
    }
  }
  return size + groups.reduce((sum, outer) => sum + outer, 0);
}

/** The most times that a repetition such as `{2,40}` repeats; 1 where the brace is just a brace. */
function timesAt(source: string, at: number): number {
  const [, least, most] = /^\{(\d+)(?:,(\d*))?\}/.exec(source.slice(at, at + 16)) ?? [];
  return Math.max(1, Number(most || least || 1));
}

function endOfEscape(source: string, at: number): number {
  return /[pPxuk]/.test(source[at + 1] ?? '') && source[at + 2] === '{' ? endOf(source, at, '}') : at + 1;
}

function endOfClass(source: string, at: number): number {
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === ']') return i;
  }
  return source.length;
}

function endOf(source: string, at: number, closing: string): number {
  const end = source.indexOf(closing, at);
  return end === -1 ? source.length : end;
}
