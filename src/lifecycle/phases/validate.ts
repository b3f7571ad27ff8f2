import { hash } from 'node:crypto';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import { isJsonObject, type JsonObject, sizeOf } from '../../base/json/json.ts';
import { closestMatch } from '../../base/text/closest-match.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import { type Filled, withDefaults } from '../../catalog/arguments/defaults.ts';
import { keyInForm } from '../../catalog/arguments/key-form.ts';
import { repairArguments } from '../../catalog/arguments/repair.ts';
import { SchemaUnusable, schemaCheck } from '../../catalog/schema/compile.ts';
import { unnamedProperties } from '../../catalog/schema/named-properties.ts';
import type { SchemaViolation } from '../../catalog/schema/violation.ts';
import { signatureOf } from '../../catalog/signature.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';
import { idempotencyKeyFor } from '../idempotency/key.ts';
import type { RequestedCall, ValidatedCall } from '../states.ts';

type Report = 'every' | 'first';

const MAX_ARGS_DEPTH = 64;
/** Up to this size every violation is collected; beyond it a million of them would be, so the first one must do. */
const MAX_NODES_FOR_EVERY_VIOLATION = 20_000;
const MAX_VIOLATIONS_TOLD = 50;
/** Telling names apart takes time for each pair of them. */
const MAX_NAMES_COMPARED = 100;
const MAX_NAME_COMPARED = 64;

export function validateCall(call: RequestedCall): ValidatedCall {
  const { contract, record } = call;
  const { dryRun } = record.request;
  if (contract.schemaDefect) {
    throw new Fault('SCHEMA_INVALID', `This tool cannot be called safely: ${contract.schemaDefect}`);
  }
  requireKey(call);
  if (record.request.args === undefined && dryRun) return { ...call, args: undefined } as ValidatedCall;
  const args = readAsMeant(call);
  if (!isJsonObject(args)) throw invalid(contract, [{ path: '/', rule: 'type', expected: 'object' }]);
  const { depth, nodes } = sizeOf(args);
  if (depth > MAX_ARGS_DEPTH) {
    throw invalid(contract, [{ path: '/', rule: 'depth', expected: `nesting of at most ${MAX_ARGS_DEPTH}` }]);
  }
  const report = nodes <= MAX_NODES_FOR_EVERY_VIOLATION ? 'every' : 'first';
  const { complete, violations } = completed(call, args, report);
  if (violations.length > 0) throw invalid(contract, violations);
  // Over what the caller said, without our additions: a new default in the schema must not make it another call.
  record.inputHash = hash('sha256', canonicalJson(args));
  return { ...call, args: complete } as ValidatedCall;
}

/** Arguments as they were written, or, where the contract allows it, as they were meant. */
function readAsMeant({ contract, record }: RequestedCall): unknown {
  const { args } = record.request;
  if (!contract.argumentRules.tolerant) return args;
  const repaired = repairArguments(args, contract.inputSchema, MAX_ARGS_DEPTH);
  record.argumentRepairs = repaired.repairs;
  return repaired.args;
}

interface Completed {
  /** What the upstream is sent. */
  readonly complete: JsonObject;
  readonly violations: readonly SchemaViolation[];
}

/**
 * With the defaults of the schema, and with the key where the tool takes one itself. A default that the schema refuses is
 * left out: nobody is told off for what he did not send.
 */
function completed(call: RequestedCall, args: JsonObject, report: Report): Completed {
  const { contract } = call;
  const complete = (leftOut: readonly string[]): Completed & Pick<Filled, 'paths'> => {
    const filled = contract.argumentRules.defaults
      ? withDefaults(args, contract.inputSchema, leftOut)
      : { args, paths: [] };
    const sent = withOwnKey(call, filled.args);
    const violations = [...unnamed(contract, sent), ...violationsOf(contract, sent, report)];
    return { complete: sent, violations, paths: filled.paths };
  };
  const first = complete([]);
  const unfit = first.paths.filter((path) =>
    first.violations.some((violation) => `${violation.path}/`.startsWith(`${path}/`)),
  );
  return unfit.length === 0 ? first : complete(unfit);
}

function withOwnKey(call: RequestedCall, args: JsonObject): JsonObject {
  const { idempotencyKeyArgument, inputSchema } = call.contract;
  const key = idempotencyKeyArgument === undefined ? undefined : idempotencyKeyFor(call);
  if (idempotencyKeyArgument === undefined || key === undefined) return args;
  return { [idempotencyKeyArgument]: keyInForm(key, idempotencyKeyArgument, inputSchema), ...args };
}

function requireKey({ contract, record }: RequestedCall): void {
  const { idempotencyKey, dryRun } = record.request;
  if (contract.idempotency.key !== 'required' || idempotencyKey !== undefined || dryRun) return;
  if (contract.mutation === 'read_only') return;
  throw new Fault('INVALID_INPUT', 'This tool writes, and needs an idempotency_key: the same for every try.');
}

function violationsOf(contract: ToolContract, args: JsonObject, report: Report): readonly SchemaViolation[] {
  try {
    return schemaCheck(contract.inputSchema, report)(args);
  } catch (thrown) {
    if (!(thrown instanceof SchemaUnusable)) throw thrown;
    throw new Fault('SCHEMA_INVALID', `This tool cannot be called safely: input schema: ${thrown.message}`);
  }
}

/** Strict by default: models invent parameters, and a tool that ignores one did something else than was asked. */
function unnamed({ inputSchema, argumentRules }: ToolContract, args: JsonObject): SchemaViolation[] {
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
      errors: violations.slice(0, MAX_VIOLATIONS_TOLD),
      ...(violations.length > MAX_VIOLATIONS_TOLD && { errors_in_all: violations.length }),
      signature: signatureOf(contract),
    },
  });
}
