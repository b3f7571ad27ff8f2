import type { ResultView } from '../../contract/call/outcome.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import { redactResult } from '../../redaction/redact-result.ts';
import { redactView } from '../../redaction/redact-view.ts';
import { applyFirewall } from '../../results/firewall.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { ExecutedCall } from '../states.ts';

/** What a model gets to see of a result: no secrets, and no more than fits. A check compares what really came. */
export async function presentResult(
  deps: CallDependencies,
  { record, result, contract }: ExecutedCall,
): Promise<ResultView> {
  const { principal, internal } = record.request;
  if (internal) return { kind: 'whole', content: result.content, structured: result.structured };
  const clean = await redactResult(result, deps.firewall.secrets, contract.outputSchema);
  const { view, unstored } = await applyFirewall(deps.firewall, ownerOf(principal), clean);
  if (unstored !== undefined) {
    deps.events.publish({
      type: 'trouble',
      callId: record.callId,
      what: 'artifacts not stored',
      cause: unstored,
    });
  }
  const isUnchanged =
    view.kind === 'whole' && view.content === clean.content && view.structured === clean.structured;
  return isUnchanged ? view : redactView(view, deps.firewall.secrets);
}
