import { canonicalJson } from '../../contract/canonical-json.ts';
import type { Json } from '../../contract/json.ts';
import type { Expectation } from '../../contract/verification.ts';
import type { ExecutedCall } from '../execute.ts';
import type { Gate } from '../gate.ts';
import { at, bound, dataOf, type Known } from './bindings.ts';
import { brokenIntegrity } from './integrity.ts';
import { useTool } from './use-tool.ts';

/** Why a result is not to be believed, by the checks that its contract names; undefined where they hold. */
export async function inconsistencyOf(gate: Gate, call: ExecutedCall): Promise<string | undefined> {
  const { verification } = call.contract;
  if (!verification) return undefined;
  const known: Known = { args: call.args, result: dataOf(call.result) };
  const broken = brokenIntegrity(verification.integrity ?? [], known);
  if (broken !== undefined || !verification.readBack) return broken;
  const read = await useTool(gate, call, verification.readBack, known);
  if (!read.ok) return `the world could not be looked at (${read.code})`;
  return verification.readBack.expect.every((expectation) => holds(expectation, read.answer, known))
    ? undefined
    : 'the world is not as the tool says that it left it';
}

function holds({ at: pointer, equals, exists }: Expectation, answer: unknown, known: Known): boolean {
  const found = at(answer, pointer);
  if (exists !== undefined && (found !== undefined) !== exists) return false;
  if (!equals) return true;
  const expected = bound(equals, known);
  return found !== undefined && expected !== undefined && isSame(found, expected);
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one as Json) === canonicalJson(other as Json);
}

/** Undoes what failed its checks, where the contract says how. Whether that worked is told to the caller. */
export async function compensate(gate: Gate, call: ExecutedCall): Promise<boolean> {
  const undo = call.contract.verification?.compensate;
  if (!undo) return false;
  return (await useTool(gate, call, undo, { args: call.args, result: dataOf(call.result) })).ok;
}
