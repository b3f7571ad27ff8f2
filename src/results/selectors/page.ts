/** Where a page begins: at which item, and at which of its characters where the page before ended inside of it. */
export interface PageStart {
  readonly start: number;
  readonly from: number;
}

export interface Page {
  readonly texts: readonly string[];
  /** Where the next page begins; absent where this one shows all it was asked for. */
  readonly next?: { readonly start: number; readonly from?: number };
}

/** As many items as there is room for. One that is longer than a page is shown in pieces: nothing is left out, ever. */
export function pageOf(
  { start, from }: PageStart,
  { end, room }: { readonly end: number; readonly room: number },
  itemAt: (index: number) => string,
): Page {
  const texts: string[] = [];
  let length = 0;
  for (let index = start; index < end; index++) {
    const skipped = index === start ? from : 0;
    const item = itemAt(index).slice(skipped);
    if (texts.length > 0 && length + item.length > room) return { texts, next: { start: index } };
    if (item.length > room) {
      const piece = wholeCharacters(item.slice(0, room));
      return { texts: [piece], next: { start: index, from: skipped + piece.length } };
    }
    texts.push(item);
    length += item.length + 1;
  }
  return { texts };
}

/** Half a surrogate pair is not a character, and both halves of a torn one would be lost. */
export function wholeCharacters(text: string): string {
  return text.length > 1 && /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
