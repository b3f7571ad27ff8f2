/** As many of the lines as there is room for, the first in any case. */
export function linesWithin(lines: readonly string[], room: number): string[] {
  const taken: string[] = [];
  let left = room;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0 && taken.length > 0) break;
    taken.push(line);
  }
  return taken;
}

/** One line, cut where it is longer than `limit`. */
export function cutLine(line: string, limit: number): string {
  const trimmed = line.trimEnd();
  return trimmed.length <= limit
    ? trimmed
    : `${trimmed.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function lengthOf(lines: readonly string[]): number {
  return lines.reduce((length, line) => length + line.length + 1, 0);
}
