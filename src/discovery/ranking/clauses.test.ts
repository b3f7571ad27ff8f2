import { describe, expect, it } from 'vitest';
import { clausesOf } from './clauses.ts';

describe('clausesOf', () => {
  it.each(['list open pull requests', 'send an email and a reminder', ''])(
    'keeps a short request whole: %s',
    (request) => {
      expect(clausesOf(request)).toEqual([request]);
    },
  );

  it('splits a long request where it asks for another thing', () => {
    const request =
      'I am planning a trip to Lisbon next month with my family. Find me a hotel near the beach, and then check the weather forecast; also convert 500 dollars to euros';
    expect(clausesOf(request)).toEqual([
      'I am planning a trip to Lisbon next month with my family.',
      'Find me a hotel near the beach',
      'then check the weather forecast;',
      'also convert 500 dollars to euros',
    ]);
  });

  it('keeps a long request for one thing whole', () => {
    const request =
      'the quarterly revenue report of every subsidiary in europe africa asia with charts tables footnotes';
    expect(clausesOf(request)).toEqual([request]);
  });
});
