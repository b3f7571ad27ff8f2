import type { Steps } from '../../base/async/cooperative.ts';
import type { StringMapper } from '../engine/map-strings.ts';
import type { RuleSet } from '../rule-set.ts';
import { isSecretName } from '../rules/named-secret/member-name.ts';
import { findAlignedCells } from './aligned-table.ts';
import { findCells, type NamedCell } from './columns.ts';

/** Cells read between two yields to the event loop. */
const STEP_CELLS = 2_048;

/** Redacts table cells by the names of their columns. */
export function* redactTables(text: string, rules: RuleSet, mapper: StringMapper): Steps<string> {
  const isWanted = (column: string): boolean => isSecretName(column, rules);
  const separated = yield* redactCells(text, findCells(text, isWanted), mapper);
  return yield* redactCells(separated, findAlignedCells(separated, isWanted), mapper);
}

function* redactCells(text: string, cells: Iterable<NamedCell>, mapper: StringMapper): Steps<string> {
  const pieces: string[] = [];
  let copied = 0;
  let read = 0;
  for (const { start, end, name } of cells) {
    if (++read % STEP_CELLS === 0) yield;
    const cell = text.slice(start, end);
    const changed = yield* mapper.map(cell, name);
    if (changed === cell) continue;
    pieces.push(text.slice(copied, start), changed);
    copied = end;
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}
