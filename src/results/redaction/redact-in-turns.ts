import { setImmediate as nextTurn } from 'node:timers/promises';
import { redact } from './redact.ts';
import type { RuleSet } from './rule-set.ts';

/** A piece of this length takes a millisecond, and a tenth of a second where somebody wrote it to take long. */
const PIECE = 131_072;
/** How far back from the end of a piece a better place to cut is looked for. No secret is as long as this. */
const SEARCHED = 32_768;

/** A long text without its secrets, in pieces, with a turn for others in between. */
export async function redactInTurns(text: string, rules: RuleSet): Promise<string> {
  if (text.length <= PIECE) return redact(text, rules).text;
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + PIECE < text.length ? cutBefore(text, start + PIECE) : text.length;
    pieces.push(redact(text.slice(start, end), rules).text);
    start = end;
    await nextTurn();
  }
  return pieces.join('');
}

/** Where a cut goes through no secret: before a key that is under way, else after a line, else after a word. */
function cutBefore(text: string, end: number): number {
  const from = end - SEARCHED;
  const tail = text.slice(from, end);
  const begun = tail.lastIndexOf('-----BEGIN ');
  if (begun > 0 && tail.indexOf('-----END ', begun) < 0) return from + begun;
  const line = tail.lastIndexOf('\n');
  if (line > 0) return from + line + 1;
  const word = Math.max(tail.lastIndexOf(' '), tail.lastIndexOf(','), tail.lastIndexOf('"'));
  return word > 0 ? from + word + 1 : end;
}
