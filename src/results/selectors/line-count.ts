/** As an editor counts them: what follows the last line end is a line too. */
export function lineCountOf(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
