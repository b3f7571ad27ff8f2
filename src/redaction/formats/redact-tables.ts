import type { Steps } from '../../base/async/cooperative.ts';
import type { StringChange } from '../engine/map-strings.ts';
import type { RuleSet } from '../rule-set.ts';
import { isSecretName } from '../rules/named-secret/member-name.ts';
import { findCellsUnder } from './columns.ts';

const CELLS_A_TURN = 2_048;

/** A text in which the cells of a table are judged by the name of their column. */
export function* redactTables(text: string, rules: RuleSet, change: StringChange): Steps<string> {
  const pieces: string[] = [];
  let copied = 0;
  let read = 0;
  for (const { start, end, name } of findCellsUnder(text, (asked) => isSecretName(asked, rules))) {
    if (++read % CELLS_A_TURN === 0) yield;
    const cell = text.slice(start, end);
    const changed = yield* change.text(cell, name);
    if (changed === cell) continue;
    pieces.push(text.slice(copied, start), changed);
    copied = end;
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}
