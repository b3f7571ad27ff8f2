import { sizeOf } from '../../base/json/json.ts';
import { SchemaUnusable, schemaCheck } from '../../catalog/schema/compile.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { ExecutedCall } from '../states.ts';

const MAX_RESULT_DEPTH = 256;

/** Checks a result against the output schema of its tool. An operator's statement and a reported error have no schema. */
export function checkOutput({
  contract: { outputSchema },
  result,
  isResolvedByOperator,
}: ExecutedCall): void {
  if (sizeOf(result.structured, MAX_RESULT_DEPTH).depth > MAX_RESULT_DEPTH) {
    throw new Fault('UPSTREAM_FAILURE', 'The tool ran, but its result is nested too deep to read.');
  }
  if (!outputSchema || isResolvedByOperator || result.isError) return;
  if (result.structured === undefined) {
    throw new Fault(
      'INTERNAL_TOOL_ERROR',
      'The tool ran, but its result lacks the structured output that its output schema requires.',
    );
  }
  try {
    const violations = schemaCheck(outputSchema, 'first')(result.structured);
    if (violations.length === 0) return;
    throw new Fault('INTERNAL_TOOL_ERROR', 'The tool ran, but its result does not match its output schema.', {
      details: { errors: violations },
    });
  } catch (error) {
    if (!(error instanceof SchemaUnusable)) throw error;
    throw new Fault(
      'INTERNAL_TOOL_ERROR',
      `The tool ran, but its result cannot be checked: ${error.message}.`,
    );
  }
}
