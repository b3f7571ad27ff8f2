import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { Json } from '../../base/json/json.ts';
import type { Expectation } from '../../contract/tool/verification.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ExecutedCall } from '../states.ts';
import { dataOf, type Known, resolveBinding, valueAt } from './bindings.ts';
import { brokenIntegrity } from './integrity.ts';
import { readBack } from './internal-call.ts';

/** What speaks against a result: something that was seen, or that nothing could be seen. Only the first is a reason to undo. */
export type Discrepancy =
  | { readonly kind: 'mismatch'; readonly why: string }
  | { readonly kind: 'unverifiable'; readonly why: string };

/** Why a result is not to be believed, by the checks that its contract names; undefined where they hold. */
export async function findDiscrepancy(
  deps: CallDependencies,
  call: ExecutedCall,
): Promise<Discrepancy | undefined> {
  const { verification } = call.contract;
  if (!verification) return undefined;
  const known: Known = { args: call.args, result: dataOf(call.result) };
  const broken = brokenIntegrity(verification.integrity ?? [], known);
  if (broken !== undefined) return { kind: 'mismatch', why: broken };
  if (!verification.readBack) return undefined;
  const seen = await readBack(deps, call, verification.readBack, known);
  if (!seen.ok) return { kind: 'unverifiable', why: seen.code };
  const verdicts = verification.readBack.expect.map((expected) => verdictOn(expected, seen.answer, known));
  if (verdicts.includes('broken'))
    return { kind: 'mismatch', why: 'the world is not as the tool says that it left it' };
  return verdicts.includes('unclear') ? { kind: 'unverifiable', why: 'nothing to compare' } : undefined;
}

type Verdict = 'holds' | 'broken' | 'unclear';

/** Nothing is compared with what was never said, and nothing is looked up in an answer that has no parts. */
function verdictOn({ at: pointer, equals, exists }: Expectation, answer: unknown, known: Known): Verdict {
  const expected = equals && resolveBinding(equals, known);
  const hasParts = typeof answer === 'object' && answer !== null;
  if ((pointer !== '' && !hasParts) || (equals && expected === undefined)) return 'unclear';
  const found = valueAt(answer, pointer);
  if (exists !== undefined && (found !== undefined) !== exists) return 'broken';
  return !equals || (found !== undefined && isSame(found, expected)) ? 'holds' : 'broken';
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one as Json) === canonicalJson(other as Json);
}
