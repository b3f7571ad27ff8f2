import { wordsOf } from './words.ts';

/** A request with more distinct words than this is split into clauses. */
export const LONG_REQUEST = 10;
const MIN_CLAUSE_WORDS = 2;

const REQUEST_STARTS =
  'i|can|could|please|also|get|find|show|list|tell|give|send|create|what|how|provide|fetch|check|calculate|recommend|search';
const BOUNDARY = new RegExp(
  [
    '(?<=[.!?;])\\s+',
    ',\\s+(?:and|then|also)\\s+',
    '\\s+(?:and then|then|also|additionally|as well as|finally)\\s+',
    `\\s+and\\s+(?=(?:${REQUEST_STARTS})\\b)`,
  ].join('|'),
  'i',
);

/** The clauses of a request that asks for several things; otherwise the request itself. */
export function clausesOf(request: string): readonly string[] {
  if (new Set(wordsOf(request)).size <= LONG_REQUEST) return [request];
  const clauses = request.split(BOUNDARY).filter((clause) => wordsOf(clause).length >= MIN_CLAUSE_WORDS);
  return clauses.length > 1 ? clauses : [request];
}
