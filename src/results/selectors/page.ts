/** Where a page begins: the item, and the character in it if the previous page ended inside of the item. */
export interface PageStart {
  readonly start: number;
  readonly from: number;
}

export interface Page {
  readonly texts: readonly string[];
  /** Where the next page begins; absent if this page holds all requested items. */
  readonly next?: { readonly start: number; readonly from?: number };
}

/** Takes as many items as fit. An item longer than a page is split over several pages, so nothing is ever left out. */
export function pageOf(
  { start, from }: PageStart,
  { end, maxLength }: { readonly end: number; readonly maxLength: number },
  itemAt: (index: number) => string,
): Page {
  const texts: string[] = [];
  let length = 0;
  for (let index = start; index < end; index++) {
    const skipped = index === start ? from : 0;
    const item = itemAt(index).slice(skipped);
    if (texts.length > 0 && length + item.length > maxLength) return { texts, next: { start: index } };
    if (item.length > maxLength) {
      const piece = wholeCharacters(item.slice(0, maxLength));
      return { texts: [piece], next: { start: index, from: skipped + piece.length } };
    }
    texts.push(item);
    length += item.length + 1;
  }
  return { texts };
}

/** Drops the first half of a surrogate pair at the end. Both halves of a split pair would be lost in UTF-8. */
export function wholeCharacters(text: string): string {
  return text.length > 1 && /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
