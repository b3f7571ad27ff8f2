import { shapeLines } from '../describe/shape.ts';
import { valueAtPointer } from './json-pointer.ts';
import { pageOf } from './page.ts';
import { readInteger, readJson } from './parameters.ts';
import type { Selector } from './selector.ts';

/** The shape of a document: members, kinds, ranges, list lengths, and the values if they are few. */
export const schema: Selector = {
  parameters: ['path', 'start', 'from'],
  select(artifact, parameters, maxLength) {
    const { path } = parameters;
    const lines = shapeLines(valueAtPointer(readJson(artifact), path));
    const start = readInteger(parameters, 'start', 0, 0);
    const { texts, next } = pageOf(
      { start, from: readInteger(parameters, 'from', 0, 0) },
      { end: lines.length, maxLength },
      (index) => lines[index]!,
    );
    return {
      text: texts.join('\n'),
      totals: { lines: lines.length },
      ...(next && { next: { schema: { ...(path !== undefined && { path }), ...next } } }),
    };
  },
};
