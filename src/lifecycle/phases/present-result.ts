import type { ResultView } from '../../contract/call/outcome.ts';
import { redactResult } from '../../redaction/redact-result.ts';
import { redactView } from '../../redaction/redact-view.ts';
import { ownerOf } from '../../results/artifacts/artifact.ts';
import { shield } from '../../results/firewall.ts';
import type { Gate } from '../dependencies.ts';
import type { ExecutedCall } from './execute.ts';

/** What a model gets to see of a result: no secrets, and no more than fits. A check compares what really came. */
export async function show(gate: Gate, { journey, result, contract }: ExecutedCall): Promise<ResultView> {
  const { principal, errand } = journey.arrival;
  if (errand) return { kind: 'whole', content: result.content, structured: result.structured };
  const clean = await redactResult(result, gate.firewall.secrets, contract.outputSchema);
  const { view, unstored } = await shield(gate.firewall, ownerOf(principal), clean);
  if (unstored !== undefined) {
    gate.events.publish({
      type: 'trouble',
      callId: journey.callId,
      what: 'artifacts not stored',
      cause: unstored,
    });
  }
  const isUnchanged =
    view.kind === 'whole' && view.content === clean.content && view.structured === clean.structured;
  return isUnchanged ? view : redactView(view, gate.firewall.secrets);
}
