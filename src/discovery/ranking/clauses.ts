import { wordsOf } from './words.ts';

/** Requests of more words than this may ask for several things. */
export const LONG_REQUEST = 10;
const SHORTEST_CLAUSE = 2;

const NEW_REQUEST =
  'i|can|could|please|also|get|find|show|list|tell|give|send|create|what|how|provide|fetch|check|calculate|recommend|search';
const BOUNDARY = new RegExp(
  [
    '(?<=[.!?;])\\s+',
    ',\\s+(?:and|then|also)\\s+',
    '\\s+(?:and then|then|also|additionally|as well as|finally)\\s+',
    `\\s+and\\s+(?=(?:${NEW_REQUEST})\\b)`,
  ].join('|'),
  'i',
);

/** The parts of a request that asks for several things; one part where it does not. */
export function clausesOf(request: string): readonly string[] {
  if (new Set(wordsOf(request)).size <= LONG_REQUEST) return [request];
  const clauses = request.split(BOUNDARY).filter((clause) => wordsOf(clause).length >= SHORTEST_CLAUSE);
  return clauses.length > 1 ? clauses : [request];
}
