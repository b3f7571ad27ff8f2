import { Buffer } from 'node:buffer';
import type { Selection } from '../src/contract/call/view.ts';
import { makeArtifact } from '../src/results/artifacts/artifact.ts';
import { MAX_VIEW_LENGTH } from '../src/results/selectors/selector.ts';
import { SELECTORS } from '../src/results/view.ts';

/** Reads all pages of a text from a selector on, by following the `next` of each page. */
export function pagesOf(
  mediaType: string,
  text: string,
  selector: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  maxLength: number = MAX_VIEW_LENGTH,
): Selection[] {
  const artifact = makeArtifact(mediaType, Buffer.from(text));
  const pages: Selection[] = [];
  let next: Selection['next'] = selector;
  while (next) {
    const [name, parameters] = Object.entries(next)[0]!;
    const page: Selection = SELECTORS[name]!.select(
      artifact,
      parameters as Readonly<Record<string, unknown>>,
      maxLength,
    );
    pages.push(page);
    if (pages.length > 100_000) throw new Error('more than 100,000 pages: the last page has a `next`');
    next = page.next;
  }
  return pages;
}
