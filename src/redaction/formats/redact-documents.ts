import type { Steps } from '../../base/async/cooperative.ts';
import { mapStrings, type StringMapper } from '../engine/map-strings.ts';
import { findDocuments } from './documents.ts';
import { patchJson } from './patch-json.ts';

/** Characters read between two yields to the event loop. */
const STEP_LENGTH = 65_536;

/** A failed parse costs far more than this look at the second token, and every redacted value starts with `[`. */
const DOCUMENT_START = /^\s*(?:\[\s*(?:["[{\d\]-]|true|false|null)|\{\s*["}])/;

/** Redacts JSON in a text by its parsed values, so that a text hides everything that the same structured value hides. */
export function* redactDocuments(text: string, mapper: StringMapper): Steps<string> {
  const whole = DOCUMENT_START.test(text) ? tryParse(text) : undefined;
  if (whole !== undefined) return yield* redactDocument(text, whole, mapper);
  const pieces: string[] = [];
  let copied = 0;
  let nextYield = STEP_LENGTH;
  for (const { start, end } of findDocuments(text)) {
    if (end >= nextYield) {
      nextYield = end + STEP_LENGTH;
      yield;
    }
    const document = text.slice(start, end);
    const redacted = yield* redactDocument(document, tryParse(document), mapper);
    if (redacted === document) continue;
    pieces.push(text.slice(copied, start), redacted);
    copied = end;
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}

function* redactDocument(text: string, value: unknown, mapper: StringMapper): Steps<string> {
  const changed = yield* mapStrings(value, mapper);
  return changed === value ? text : patchJson(text, value, changed);
}

/** Undefined for a text that only resembles JSON. */
function tryParse(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    return undefined;
  }
}
