import type { ResultView } from '../../contract/call/outcome.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import { redactResult } from '../../redaction/redact-result.ts';
import { redactView } from '../../redaction/redact-view.ts';
import { applyFirewall } from '../../results/firewall.ts';
import { isInternal } from '../call-record.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ExecutedCall } from '../states.ts';

/** What a model gets to see of a result: no secrets, and no more than fits. An internal call compares the result as it came. */
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
