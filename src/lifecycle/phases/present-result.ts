import { estimateLength } from '../../base/json/estimate-length.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { plainValue } from '../../base/json/plain-value.ts';
import type { ResultView } from '../../contract/call/outcome.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import { redactJson } from '../../redaction/redact-json.ts';
import { redactResult } from '../../redaction/redact-result.ts';
import { redactView } from '../../redaction/redact-view.ts';
import { applyFirewall } from '../../results/firewall.ts';
import { isInternal } from '../call-record.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ExecutedCall } from '../states.ts';

/** The view of a result for a model: without secrets, within the token limit. An internal call gets the result unchanged. */
export async function presentResult(
  { firewall }: CallDependencies,
  { run, record, result, contract }: ExecutedCall,
): Promise<ResultView> {
  if (isInternal(record)) return { kind: 'whole', content: result.content, structured: result.structured };
  const clean = await redactResult(result, firewall.secrets, contract.outputSchema);
  const owner = ownerOf(record.request.caller.principal);
  const { view, storeError } = await applyFirewall(firewall, owner, clean);
  if (storeError !== undefined) run.reportTrouble('artifacts not stored', storeError);
  const isUnchanged =
    view.kind === 'whole' && view.content === clean.content && view.structured === clean.structured;
  return isUnchanged ? view : redactView(view, firewall.secrets);
}

/** Larger metadata is left out, because some clients show a whole answer to the model. */
const MAX_META_LENGTH = 4_096;

/** The upstream's own metadata, for the client of a result that is returned whole. */
export function presentMeta(
  { firewall }: CallDependencies,
  { record, result: { meta } }: ExecutedCall,
  view: ResultView,
): JsonObject | undefined {
  if (!meta || view.kind !== 'whole' || isInternal(record)) return undefined;
  if (estimateLength(meta, MAX_META_LENGTH) > MAX_META_LENGTH) return undefined;
  return plainValue(redactJson(meta, firewall.secrets).value) as JsonObject;
}
