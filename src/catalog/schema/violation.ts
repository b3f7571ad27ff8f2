import type { ErrorObject } from 'ajv';
import { plainLine } from '../../base/text/plain-text.ts';

/** Where a value is wrong, by which keyword, and what was expected. It never holds the value, which may be secret. */
export interface SchemaViolation {
  readonly path: string;
  readonly rule: string;
  readonly expected: string;
}

export function describeViolation(error: ErrorObject): SchemaViolation {
  const { keyword, params } = error;
  const path = plainLine(error.instancePath || '/', 200);
  return { path, rule: keyword, expected: plainLine(expectation(keyword, params, error.message), 200) };
}

function expectation(keyword: string, params: Record<string, unknown>, message: string | undefined): string {
  switch (keyword) {
    case 'type':
      return String(params.type);
    case 'required':
      return `property "${params.missingProperty}"`;
    case 'enum':
      return `one of ${JSON.stringify(params.allowedValues)}`;
    case 'const':
      return JSON.stringify(params.allowedValue);
    case 'additionalProperties':
      return `no property "${params.additionalProperty}"`;
    case 'unevaluatedProperties':
      return `no property "${params.unevaluatedProperty}"`;
    case 'format':
      return `format ${params.format}`;
    case 'pattern':
      return `a match of ${params.pattern}`;
    case 'uniqueItems':
      return 'items that differ from each other';
    default:
      return (message ?? keyword).replace(/^must (be )?/, '');
  }
}
