import type { Steps } from '../../base/async/cooperative.ts';
import { mapStrings, type StringChange } from '../engine/map-strings.ts';
import { findDocuments } from './documents.ts';
import { patchJson } from './patch-json.ts';

const READ_A_TURN = 65_536;

/** A text in which JSON is judged by its values: what is hidden in a structure is hidden in the text that repeats it. */
export function* redactDocuments(text: string, change: StringChange): Steps<string> {
  const whole = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (whole !== undefined) return yield* redactDocument(text, whole, change);
  const pieces: string[] = [];
  let copied = 0;
  let turn = READ_A_TURN;
  for (const { start, end } of findDocuments(text)) {
    if (end >= turn) {
      turn = end + READ_A_TURN;
      yield;
    }
    const document = text.slice(start, end);
    const redacted = yield* redactDocument(document, parsed(document), change);
    if (redacted === document) continue;
    pieces.push(text.slice(copied, start), redacted);
    copied = end;
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}

function* redactDocument(text: string, value: unknown, change: StringChange): Steps<string> {
  const changed = yield* mapStrings(value, change);
  return changed === value ? text : patchJson(text, value, changed);
}

/** Undefined for what is written almost like JSON. */
function parsed(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    return undefined;
  }
}
