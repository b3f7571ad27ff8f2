/** Takes as many lines as fit into `maxLength` characters, and always the first. */
export function takeLines(lines: readonly string[], maxLength: number): string[] {
  const taken: string[] = [];
  let left = maxLength;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0 && taken.length > 0) break;
    taken.push(line);
  }
  return taken;
}

/** Cuts a line that is longer than `maxLength`. */
export function cutLine(line: string, maxLength: number): string {
  const trimmed = line.trimEnd();
  return trimmed.length <= maxLength
    ? trimmed
    : `${trimmed.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The length of lines with their line ends. */
export function lengthOf(lines: readonly string[]): number {
  return lines.reduce((length, line) => length + line.length + 1, 0);
}
