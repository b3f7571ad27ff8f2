import { sizeOf } from '../../base/json/json.ts';
import { SchemaUnusable, schemaCheck } from '../../catalog/schema/compile.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { ExecutedCall } from '../states.ts';

const MAX_RESULT_DEPTH = 256;

/** Holds an answer against the schema that its tool gives for it. An operator's word and a reported error have none. */
export function checkOutput({ contract: { outputSchema }, result, isSettled }: ExecutedCall): void {
  if (sizeOf(result.structured).depth > MAX_RESULT_DEPTH) {
    throw new Fault(
      'UPSTREAM_FAILURE',
      'The tool ran, and answered with data that is nested too deep to read.',
    );
  }
  if (!outputSchema || isSettled || result.isError) return;
  if (result.structured === undefined) {
    throw new Fault(
      'INTERNAL_TOOL_ERROR',
      'The tool ran, but its answer lacks the structured output that it promises.',
    );
  }
  try {
    const violations = schemaCheck(outputSchema, 'first')(result.structured);
    if (violations.length === 0) return;
    throw new Fault('INTERNAL_TOOL_ERROR', 'The tool ran, but its output does not fit its own schema.', {
      details: { errors: violations },
    });
  } catch (thrown) {
    if (!(thrown instanceof SchemaUnusable)) throw thrown;
    throw new Fault(
      'INTERNAL_TOOL_ERROR',
      `The tool ran, but its output cannot be checked: ${thrown.message}.`,
    );
  }
}
