import { hash } from 'node:crypto';
import { SchemaUnusable, schemaCheck } from '../catalog/schema/compile.ts';
import { unnamedProperties } from '../catalog/schema/named-properties.ts';
import type { SchemaViolation } from '../catalog/schema/violation.ts';
import { signatureOf } from '../catalog/signature.ts';
import { canonicalJson } from '../contract/canonical-json.ts';
import { Fault } from '../contract/errors.ts';
import { isJsonObject, type JsonObject, sizeOf } from '../contract/json.ts';
import { plainLine } from '../contract/plain-text.ts';
import type { ToolContract } from '../contract/tool.ts';
import type { RequestedCall } from './request.ts';

declare const validated: unique symbol;

/** A call whose arguments keep the input schema, to the letter. */
export interface ValidatedCall extends RequestedCall {
  readonly [validated]: true;
  /** Absent only in a dry run that asks for the schema. */
  readonly args: JsonObject | undefined;
}

const MAX_ARGS_DEPTH = 64;
/** Up to this size every violation is collected; beyond it a million of them would be, so the first one must do. */
const MAX_NODES_FOR_EVERY_VIOLATION = 20_000;
const MAX_VIOLATIONS_TOLD = 50;

export function validateCall(call: RequestedCall): ValidatedCall {
  const { contract, journey } = call;
  const { args, dryRun } = journey.arrival;
  if (contract.schemaDefect) {
    throw new Fault('SCHEMA_INVALID', `This tool cannot be called safely: ${contract.schemaDefect}`);
  }
  if (args === undefined && dryRun) return { ...call, args: undefined } as ValidatedCall;
  if (!isJsonObject(args)) throw invalid(contract, [{ path: '/', rule: 'type', expected: 'object' }]);
  const { depth, nodes } = sizeOf(args);
  if (depth > MAX_ARGS_DEPTH) {
    throw invalid(contract, [{ path: '/', rule: 'depth', expected: `nesting of at most ${MAX_ARGS_DEPTH}` }]);
  }
  const report = nodes <= MAX_NODES_FOR_EVERY_VIOLATION ? 'every' : 'first';
  const violations = [...unnamed(contract, args), ...violationsOf(contract, args, report)];
  if (violations.length > 0) throw invalid(contract, violations);
  journey.inputHash = hash('sha256', canonicalJson(args));
  return { ...call, args } as ValidatedCall;
}

function violationsOf(
  contract: ToolContract,
  args: JsonObject,
  report: 'every' | 'first',
): readonly SchemaViolation[] {
  try {
    return schemaCheck(contract.inputSchema, report)(args);
  } catch (thrown) {
    if (!(thrown instanceof SchemaUnusable)) throw thrown;
    throw new Fault('SCHEMA_INVALID', `This tool cannot be called safely: input schema: ${thrown.message}`);
  }
}

/** Strict by default: models invent parameters, and a tool that ignores one did something else than was asked. */
function unnamed(contract: ToolContract, args: JsonObject): SchemaViolation[] {
  return unnamedProperties(contract.inputSchema, args).map((name) => ({
    path: '/',
    rule: 'additionalProperties',
    expected: `no property "${plainLine(name, 64)}"`,
  }));
}

function invalid(contract: ToolContract, violations: readonly SchemaViolation[]): Fault {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return new Fault('INVALID_INPUT', `${first!.path}: expected ${first!.expected}${more}.`, {
    details: {
      errors: violations.slice(0, MAX_VIOLATIONS_TOLD),
      ...(violations.length > MAX_VIOLATIONS_TOLD && { errors_in_all: violations.length }),
      signature: signatureOf(contract),
    },
  });
}
