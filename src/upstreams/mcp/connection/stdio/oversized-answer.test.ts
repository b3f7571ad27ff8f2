import { describe, expect, it } from 'vitest';
import { parseOversizedAnswer } from './oversized-answer.ts';

const RESULT = '"result":{"content":[{"type":"text","text":"a,\\"id\\":9}"}],"id":8}';

describe('parseOversizedAnswer', () => {
  it.each([
    { title: 'an id before the result', line: `{"jsonrpc":"2.0","id":7,${RESULT}}`, expected: { id: 7 } },
    {
      title: 'an id after the result',
      line: `{ ${RESULT} , "jsonrpc" : "2.0", "id" : 7 }\r`,
      expected: { id: 7 },
    },
    { title: 'a text as the id', line: `{"id":"a\\"b",${RESULT}}`, expected: { id: 'a"b' } },
    { title: 'an id between two objects', line: `{"x":{},"id":7,${RESULT}}`, expected: { id: undefined } },
    { title: 'a notification', line: '{"jsonrpc":"2.0","method":"x","params":{}}', expected: undefined },
    { title: 'a request', line: '{"params":{},"id":7,"method":"x"}', expected: undefined },
    { title: 'text that is not JSON', line: 'loading {"id":7}', expected: undefined },
  ])('reads $title', ({ line, expected }) => {
    expect(parseOversizedAnswer(line.slice(0, 60), line.slice(-60))).toEqual(expected);
  });

  it('takes linear time on ends that look like members without end', () => {
    const ends = ['},"a":1'.repeat(600), '"'.repeat(4_096), '}'.repeat(4_096), ',"a'.repeat(1_300)];
    const began = performance.now();
    for (const end of ends) parseOversizedAnswer(`{${end}`, end);
    expect(performance.now() - began).toBeLessThan(500);
  });
});
