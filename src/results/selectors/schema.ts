import { shapeLines } from '../describe/shape.ts';
import { valueAtPointer } from './json-pointer.ts';
import { pageOf } from './page.ts';
import { readJson, wholeNumber } from './parameters.ts';
import type { Selector } from './selector.ts';

/** The shape of a document: members, kinds, ranges, how long its lists are, and which values where they are few. */
export const schema: Selector = {
  parameters: ['path', 'start', 'from'],
  select(artifact, parameters, room) {
    const { path } = parameters;
    const lines = shapeLines(valueAtPointer(readJson(artifact), path));
    const start = wholeNumber(parameters, 'start', 0, 0);
    const { texts, next } = pageOf(
      { start, from: wholeNumber(parameters, 'from', 0, 0) },
      { end: lines.length, room },
      (index) => lines[index]!,
    );
    return {
      text: texts.join('\n'),
      totals: { lines: lines.length },
      ...(next && { next: { schema: { ...(path !== undefined && { path }), ...next } } }),
    };
  },
};
