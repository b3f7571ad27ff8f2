import type { Selection } from '../../src/contract/call/view.ts';

/** The pages of something as one text: those that end inside of an item are continued, the others have a line end. */
export function joined(
  pages: readonly Selection[],
  linesOf = (page: Selection): string => page.text,
): string {
  return pages
    .map((page, index) => {
      const [parameters] = Object.values(page.next ?? {}) as { from?: number }[];
      const glue = index === pages.length - 1 || parameters?.from !== undefined ? '' : '\n';
      return `${linesOf(page)}${glue}`;
    })
    .join('');
}

/** Without the header that every page of rows repeats. */
export function withoutHeader({ text }: Selection): string {
  return text.slice(text.indexOf('\n') + 1);
}
