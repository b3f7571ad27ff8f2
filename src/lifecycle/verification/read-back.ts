import { valueAt } from '../../base/json/pointer.ts';
import type { Expectation } from '../../contract/tool/verification.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ExecutedCall } from '../states.ts';
import { dataOf, isSame, type Known, resolveBinding } from './bindings.ts';
import { brokenIntegrity } from './integrity.ts';

/** Why a result is not accepted: a mismatch was seen, or nothing could be compared. Only a mismatch is a reason to undo. */
export interface Discrepancy {
  readonly kind: 'mismatch' | 'unverifiable';
  readonly reason: string;
}

/** The first discrepancy that the checks of the contract find; undefined where all hold. */
export async function findDiscrepancy(
  deps: CallDependencies,
  call: ExecutedCall,
): Promise<Discrepancy | undefined> {
  const { verification } = call.contract;
  if (!verification) return undefined;
  const known: Known = { args: call.input.args, result: dataOf(call.result) };
  const broken = brokenIntegrity(verification.integrity ?? [], known);
  if (broken !== undefined) return { kind: 'mismatch', reason: broken };
  const { readBack: use } = verification;
  if (!use) return undefined;
  const state = await deps.internalCalls.readBack(deps, { call, use, known });
  if (!state.ok) return { kind: 'unverifiable', reason: state.code };
  const comparisons = use.expect.map((expected) => compare(expected, state.answer, known));
  if (comparisons.includes('mismatch')) {
    return { kind: 'mismatch', reason: 'the target system is not in the state that the tool reported' };
  }
  return comparisons.includes('unclear') ? { kind: 'unverifiable', reason: 'nothing to compare' } : undefined;
}

/** Unclear where the expected value is missing, or the answer is not an object or a list. */
function compare(
  { at: pointer, equals, exists }: Expectation,
  answer: unknown,
  known: Known,
): 'match' | 'mismatch' | 'unclear' {
  const expected = equals && resolveBinding(equals, known);
  const hasParts = typeof answer === 'object' && answer !== null;
  if ((pointer !== '' && !hasParts) || (equals && expected === undefined)) return 'unclear';
  const found = valueAt(answer, pointer);
  if (exists !== undefined && (found !== undefined) !== exists) return 'mismatch';
  return !equals || (found !== undefined && isSame(found, expected)) ? 'match' : 'mismatch';
}
