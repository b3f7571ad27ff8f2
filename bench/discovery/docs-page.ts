import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../docs/reference/discovery.md', import.meta.url);

/** Writes what was measured into the page, each text between its own pair of markers. */
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

/** The rest of the page stays as people wrote it. */
export function withSection(page: string, name: string, section: string): string {
  const [begin, end] = [`<!-- measured: ${name} begin -->\n`, `<!-- measured: ${name} end -->`];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (!page.includes(begin) || to < from)
    throw new Error(`docs/reference/discovery.md has no place for "${name}"`);
  return `${page.slice(0, from)}\n${section}\n\n${page.slice(to)}`;
}
