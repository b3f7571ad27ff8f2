import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import { Fault } from '../contract/errors/fault.ts';
import { validateSelection } from '../contract/tool/selection.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import { type CallRecord, isInternal } from './call-record.ts';
import type { CallDependencies } from './dependencies.ts';

const MAX_CANDIDATES_NAMED = 10;
const ENDS_WITH_VERSION_OR_HASH = /[@#][A-Za-z0-9._-]+$/;

/** The tool that the caller names, among those that it may use. A tool that it may not see is answered like one that does not exist. */
export function resolveTool(
  { policy }: Pick<CallDependencies, 'policy'>,
  snapshot: CatalogSnapshot,
  { record }: { readonly record: Pick<CallRecord, 'origin' | 'request' | 'facts'> },
): ToolContract {
  const { tool, caller } = record.request;
  const isOffered = (contract: ToolContract): boolean => {
    const { see, call } = policy.decide(caller, contract);
    return see || (isInternal(record) && call.effect !== 'deny');
  };
  const exact = snapshot.resolve('tool', tool);
  if (exact && isOffered(exact)) return exact;
  if (exact) recordDenial(exact);
  const offered = snapshot.contracts.filter(isOffered).map(({ id }) => id);
  const selection = validateSelection(
    tool,
    isPinned(tool) ? offered.filter(equalsIgnoringCase(tool)) : offered,
  );
  if (selection.status !== 'rejected') return snapshot.get('tool', selection.id)!;
  const refusal = snapshot.refusal(tool);
  if (refusal) throw new Fault('SCHEMA_INVALID', `This tool was refused by the catalog: ${refusal}`);
  if (selection.candidates.length === 0) {
    throw new Fault(
      'TOOL_NOT_FOUND',
      'No such tool. Find one with tool_browse: the catalog may have changed.',
    );
  }
  throw new Fault('TOOL_NOT_FOUND', 'Several tools match. Choose one of the candidates by its full id.', {
    details: { candidates: selection.candidates.slice(0, MAX_CANDIDATES_NAMED) },
  });

  /** For the receipt: an operator sees which tool was denied and why. */
  function recordDenial(contract: ToolContract): void {
    Object.assign(record.facts, { hiddenContract: contract, decision: policy.decide(caller, contract).call });
  }
}

/** A reference with a version or a hash means exactly that one: another that starts alike must not be called instead. */
function isPinned(tool: string): boolean {
  return ENDS_WITH_VERSION_OR_HASH.test(tool.trim());
}

function equalsIgnoringCase(tool: string): (id: string) => boolean {
  const folded = tool.trim().toLowerCase();
  return (id) => id.toLowerCase() === folded;
}
