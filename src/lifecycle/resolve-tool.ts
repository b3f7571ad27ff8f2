import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { CallRequest } from '../contract/call/call-request.ts';
import { Fault } from '../contract/errors/fault.ts';
import { validateSelection } from '../contract/tool/selection.ts';
import type { ToolContract } from '../contract/tool/tool.ts';
import type { CallDependencies } from './dependencies.ts';

const MAX_CANDIDATES_NAMED = 10;

const ENDS_WITH_VERSION_OR_HASH = /[@#][A-Za-z0-9._-]+$/;

/** The tool that the caller means, among those that it may see. What it may not see is answered like what is not there. */
export function contractFor(
  { maySee }: CallDependencies,
  snapshot: CatalogSnapshot,
  { principal, tool }: Pick<CallRequest, 'principal' | 'tool'>,
): ToolContract {
  const isVisible = (contract: ToolContract): boolean => maySee({ principal, contract });
  const exact = snapshot.resolve(tool);
  if (exact && isVisible(exact)) return exact;
  const offered = snapshot.contracts.filter(isVisible).map(({ id }) => id);
  const selection = validateSelection(tool, isWhole(tool) ? offered.filter(sameLettersAs(tool)) : offered);
  if (selection.status !== 'rejected') return snapshot.get(selection.id)!;
  const refusal = snapshot.refusal(tool);
  if (refusal) throw new Fault('SCHEMA_INVALID', `This tool was refused when it was read: ${refusal}`);
  if (selection.candidates.length === 0) {
    throw new Fault('TOOL_NOT_FOUND', 'No such tool. Browse for one: the catalog may have changed.');
  }
  throw new Fault(
    'TOOL_NOT_FOUND',
    'That could be several tools. Choose one of the candidates by its whole id.',
    {
      details: { candidates: selection.candidates.slice(0, MAX_CANDIDATES_NAMED) },
    },
  );
}

/** Whoever names a version or a shape means that one: where it is gone, another that begins alike must not be called. */
function isWhole(tool: string): boolean {
  return ENDS_WITH_VERSION_OR_HASH.test(tool.trim());
}

function sameLettersAs(tool: string): (id: string) => boolean {
  const folded = tool.trim().toLowerCase();
  return (id) => id.toLowerCase() === folded;
}
