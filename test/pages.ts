import { Buffer } from 'node:buffer';
import type { Selection } from '../src/contract/call/view.ts';
import { makeArtifact } from '../src/results/artifacts/artifact.ts';
import { MAX_VIEW_LENGTH } from '../src/results/selectors/selector.ts';
import { SELECTORS } from '../src/results/view.ts';

/** Every page of a text, from a selector on, by nothing but what each page says is next. */
export function pagesOf(
  mediaType: string,
  text: string,
  selector: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  room: number = MAX_VIEW_LENGTH,
): Selection[] {
  const artifact = makeArtifact(mediaType, Buffer.from(text));
  const pages: Selection[] = [];
  let next: Selection['next'] = selector;
  while (next) {
    const [name, parameters] = Object.entries(next)[0]!;
    const page: Selection = SELECTORS[name]!.select(
      artifact,
      parameters as Readonly<Record<string, unknown>>,
      room,
    );
    pages.push(page);
    if (pages.length > 100_000) throw new Error('the pages never end');
    next = page.next;
  }
  return pages;
}
