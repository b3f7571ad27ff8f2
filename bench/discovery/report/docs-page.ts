import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/reference/discovery.md', import.meta.url);

/** Writes the measured sections to the page, each between its own pair of markers. */
export function writePage(sections: Readonly<Record<string, string>>): void {
  const page = Object.entries(sections).reduce(
    (text, [name, section]) => withSection(text, name, section),
    readFileSync(PAGE, 'utf8'),
  );
  writeFileSync(PAGE, page);
}

export function writePlot(name: string, svg: string): void {
  writeFileSync(new URL(`${name}.svg`, PAGE), svg);
}

/** Replaces one section; the rest of the page is written by hand and stays. */
export function withSection(page: string, name: string, section: string): string {
  const [begin, end] = [`<!-- measured: ${name} begin -->\n`, `<!-- measured: ${name} end -->`];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (!page.includes(begin) || to < from)
    throw new Error(`docs/reference/discovery.md has no markers for the section "${name}"`);
  return `${page.slice(0, from)}\n${section}\n\n${page.slice(to)}`;
}
