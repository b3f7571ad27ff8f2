import { hash } from 'node:crypto';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import { isJsonObject, type JsonObject, sizeOf } from '../../base/json/json.ts';
import { closestMatch } from '../../base/text/closest-match.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import { type FilledArguments, withDefaults } from '../../catalog/arguments/defaults.ts';
import { formatKey } from '../../catalog/arguments/key-argument.ts';
import { type ArgumentRepair, repairArguments } from '../../catalog/arguments/repair.ts';
import { SchemaUnusable, schemaCheck } from '../../catalog/schema/compile.ts';
import { unnamedProperties } from '../../catalog/schema/named-properties.ts';
import type { SchemaViolation } from '../../catalog/schema/violation.ts';
import { signatureOf } from '../../catalog/signature.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import type { RequestedCall, ValidatedCall } from '../states.ts';

const NO_REPAIRS: readonly ArgumentRepair[] = [];

type Report = 'every' | 'first';

const MAX_ARGS_DEPTH = 64;
/** Up to this size every violation is reported; larger arguments could have a million, so only the first one is. */
const MAX_NODES_FOR_EVERY_VIOLATION = 20_000;
const MAX_VIOLATIONS_REPORTED = 50;
/** Comparing names takes time for each pair of them. */
const MAX_NAMES_COMPARED = 100;
const MAX_NAME_COMPARED = 64;

export function validateCall(call: RequestedCall): ValidatedCall {
  const { contract, record } = call;
  const { args: received, dryRun } = record.request;
  if (contract.schemaDefect) {
    throw new Fault('SCHEMA_INVALID', `This tool cannot be called safely: ${contract.schemaDefect}`);
  }
  requireKey(call);
  if (received === undefined && dryRun) return { ...call, input: undefined } as ValidatedCall;
  const { args, repairs } = repairIfTolerant(contract, received);
  if (!isJsonObject(args)) throw invalid(contract, [{ path: '/', rule: 'type', expected: 'object' }]);
  const { depth, nodes } = sizeOf(args);
  if (depth > MAX_ARGS_DEPTH) {
    throw invalid(contract, [{ path: '/', rule: 'depth', expected: `nesting of at most ${MAX_ARGS_DEPTH}` }]);
  }
  const report = nodes <= MAX_NODES_FOR_EVERY_VIOLATION ? 'every' : 'first';
  const { complete, violations } = completeArguments(call, args, report);
  if (violations.length > 0) throw invalid(contract, violations);
  const inputHash = digestOf(args);
  const sentHash = complete === args ? inputHash : digestOf(complete);
  record.facts.inputHash = inputHash;
  record.facts.sentHash = sentHash;
  return { ...call, input: { args: complete, inputHash, sentHash, repairs } } as ValidatedCall;
}

function digestOf(args: JsonObject): string {
  return hash('sha256', canonicalJson(args));
}

function repairIfTolerant(
  { argumentRules, inputSchema }: ToolContract,
  args: unknown,
): { readonly args: unknown; readonly repairs: readonly ArgumentRepair[] } {
  return argumentRules.tolerant
    ? repairArguments(args, inputSchema, MAX_ARGS_DEPTH)
    : { args, repairs: NO_REPAIRS };
}

interface Completed {
  /** What the upstream is sent. */
  readonly complete: JsonObject;
  readonly violations: readonly SchemaViolation[];
}

/**
 * Adds the defaults of the schema, and the idempotency key where the tool takes one. A default that the schema itself
 * refuses is left out: a caller is not blamed for what it did not send.
 */
function completeArguments(call: RequestedCall, args: JsonObject, report: Report): Completed {
  const { contract } = call;
  const complete = (leftOut: readonly string[]): Completed & Pick<FilledArguments, 'paths'> => {
    const filled = contract.argumentRules.defaults
      ? withDefaults(args, contract.inputSchema, leftOut)
      : { args, paths: [] };
    const sent = withIdempotencyKey(call, filled.args);
    const violations = [...findUnknownProperties(contract, sent), ...violationsOf(contract, sent, report)];
    return { complete: sent, violations, paths: filled.paths };
  };
  const first = complete([]);
  const invalidDefaults = first.paths.filter((path) =>
    first.violations.some((violation) => `${violation.path}/`.startsWith(`${path}/`)),
  );
  return invalidDefaults.length === 0 ? first : complete(invalidDefaults);
}

function withIdempotencyKey({ contract, effectKey }: RequestedCall, args: JsonObject): JsonObject {
  const { idempotencyKeyArgument: argument, inputSchema } = contract;
  if (argument === undefined || effectKey === undefined) return args;
  return { [argument]: formatKey(effectKey, argument, inputSchema), ...args };
}

function requireKey({ contract, record }: RequestedCall): void {
  const { idempotencyKey, dryRun } = record.request;
  if (contract.idempotency.key !== 'required' || idempotencyKey !== undefined || dryRun) return;
  if (contract.mutation === 'read_only') return;
  throw new Fault(
    'INVALID_INPUT',
    'This tool writes and requires an idempotency_key. Send the same key with every retry of this call.',
  );
}

function violationsOf(contract: ToolContract, args: JsonObject, report: Report): readonly SchemaViolation[] {
  try {
    return schemaCheck(contract.inputSchema, report)(args);
  } catch (thrown) {
    if (!(thrown instanceof SchemaUnusable)) throw thrown;
    throw new Fault('SCHEMA_INVALID', `This tool cannot be called safely: input schema: ${thrown.message}`);
  }
}

/** Strict by default: models invent parameters, and a tool that ignores one does something else than was requested. */
function findUnknownProperties(
  { inputSchema, argumentRules }: ToolContract,
  args: JsonObject,
): SchemaViolation[] {
  if (argumentRules.unknown === 'pass') return [];
  const { properties } = inputSchema;
  const known = isJsonObject(properties) ? Object.keys(properties).slice(0, MAX_NAMES_COMPARED) : [];
  return unnamedProperties(inputSchema, args).map((name) => {
    const meant = name.length <= MAX_NAME_COMPARED ? closestMatch(name, known) : undefined;
    const hint = meant === undefined ? '' : `; did you mean "${plainLine(meant, 64)}"?`;
    return {
      path: '/',
      rule: 'additionalProperties',
      expected: `no property "${plainLine(name, 64)}"${hint}`,
    };
  });
}

function invalid(contract: ToolContract, violations: readonly SchemaViolation[]): Fault {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return new Fault('INVALID_INPUT', `${first!.path}: expected ${first!.expected}${more}.`, {
    details: {
      errors: violations.slice(0, MAX_VIOLATIONS_REPORTED),
      ...(violations.length > MAX_VIOLATIONS_REPORTED && { errors_in_all: violations.length }),
      signature: signatureOf(contract),
    },
  });
}
