import type { Selection } from '../../src/contract/call/view.ts';

/** Joins pages to one text. A page that ends inside of an item is continued directly, the others with a line end. */
export function joinPages(
  pages: readonly Selection[],
  linesOf = (page: Selection): string => page.text,
): string {
  return pages
    .map((page, index) => {
      const [parameters] = Object.values(page.next ?? {}) as { from?: number }[];
      const end = index === pages.length - 1 || parameters?.from !== undefined ? '' : '\n';
      return `${linesOf(page)}${end}`;
    })
    .join('');
}

/** Removes the header that every page of rows repeats. */
export function withoutHeader({ text }: Selection): string {
  return text.slice(text.indexOf('\n') + 1);
}
