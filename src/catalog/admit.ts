import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/json/canonical-json.ts';
import { isJsonObject } from '../base/json/json.ts';
import { plainLine, plainText } from '../base/text/plain-text.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import { type ArgumentRules, STRICT_ARGUMENTS, type ToolContract } from '../contract/tool/tool.ts';
import { formatToolId, repairName, repairVersion, toolShapeHash } from '../contract/tool/tool-id.ts';
import { keyArgumentDefect } from './arguments/key-form.ts';
import { fillBlanks, type ProfileName } from './profile.ts';
import { findCheckThatWrites } from './read-only-checks.ts';
import type { Finding, RefreshReport } from './report.ts';
import { inspectSchema, isTooDeepToHold, namesTooMany, type SchemaLimits } from './schema/budget.ts';
import { schemaDefect } from './schema/dialect.ts';
import { type Clean, sanitizeAnnotations } from './schema/sanitize-annotations.ts';

export interface AdmissionPolicy {
  readonly profile: ProfileName;
  readonly limits: SchemaLimits;
  /** What becomes of a schema beyond the limits, or one that reaches outside. */
  readonly onOversizedSchema: 'refuse' | 'flag';
  readonly visibility: 'external' | 'internal';
  readonly argumentRules?: ArgumentRules;
  /** What may be shown of foreign words; all of them where absent. */
  readonly clean?: Clean;
}

export interface Admission {
  readonly contracts: readonly ToolContract[];
  readonly report: RefreshReport;
}

const MAX_DESCRIPTION_LENGTH = 8_192;
const MAX_TAGS = 64;
/** Of a text that is to be cut anyway, this much is read: cleaning megabytes first would hold up every caller. */
const MAX_READ_LENGTH = 4 * MAX_DESCRIPTION_LENGTH;

/** Makes contracts of what one upstream offers. No tool is lost for its name; each repair, refusal and doubt is told. */
export function admit(
  namespace: string,
  descriptors: readonly ToolDescriptor[],
  policy: AdmissionPolicy,
): Admission {
  const findings: Finding[] = [];
  const contracts = new Map<string, ToolContract>();
  const dispatchKeys = new Set<string>();
  const refuse = ({ id, upstreamName }: ToolContract, code: Finding['code'], reason: string): void => {
    findings.push({
      kind: 'refused',
      namespace,
      upstreamName: lineOf(upstreamName),
      toolId: id,
      code,
      reason,
    });
  };
  for (const descriptor of descriptors) {
    const contract = admitOne(namespace, descriptor, { policy, findings });
    if (!contract) continue;
    const dispatchKey = `${contract.version ?? ''}\n${contract.upstreamName}`;
    if (contracts.has(contract.id) || dispatchKeys.has(dispatchKey)) {
      const reason = 'CatalogError: an earlier tool of this upstream already has this name and version';
      refuse(contract, 'DUPLICATE', reason);
      continue;
    }
    dispatchKeys.add(dispatchKey);
    contracts.set(contract.id, contract);
  }
  for (const contract of [...contracts.values()]) {
    const reason = findCheckThatWrites(contract, contracts.values());
    if (reason === undefined) continue;
    refuse(contract, 'TERMS', reason);
    contracts.delete(contract.id);
  }
  return {
    contracts: [...contracts.values()],
    report: {
      namespace,
      visibility: policy.visibility,
      offered: descriptors.length,
      registered: contracts.size,
      findings,
    },
  };
}

interface AdmissionContext {
  readonly policy: AdmissionPolicy;
  readonly findings: Finding[];
}

type Find = (kind: Finding['kind'], code: Finding['code'], reason: string) => void;

function admitOne(
  namespace: string,
  descriptor: ToolDescriptor,
  desk: AdmissionContext,
): ToolContract | undefined {
  const { policy, findings } = desk;
  const upstreamName = typeof descriptor.name === 'string' ? descriptor.name : '';
  let toolId: string | undefined;
  const find: Find = (kind, code, reason) => {
    findings.push({ kind, namespace, upstreamName: lineOf(upstreamName), toolId, code, reason });
  };
  if (upstreamName === '') {
    find('refused', 'NAME', 'the tool has no name, so the upstream could not be told which one is meant');
    return undefined;
  }

  const inputSchema = isJsonObject(descriptor.inputSchema) ? descriptor.inputSchema : { type: 'object' };
  const outputSchema = isJsonObject(descriptor.outputSchema) ? descriptor.outputSchema : undefined;
  if (namesTooMany(inputSchema)) {
    find('refused', 'SCHEMA_INVALID', 'input schema: far more properties than any tool has');
    return undefined;
  }
  const name = repairName(upstreamName.slice(0, MAX_READ_LENGTH));
  const version = typeof descriptor.version === 'string' ? repairVersion(descriptor.version) : undefined;
  toolId = formatToolId({
    namespace,
    name,
    ...(version && { version }),
    // Two names may become one by repair; the hash is over the original, so their ids stay apart.
    ...((!version || name !== upstreamName) && { hash8: toolShapeHash(upstreamName, inputSchema) }),
  });
  reportRepairs(descriptor, { name, version }, find);

  const schemas = inspectSchemas(descriptor, policy, find);
  const declared = descriptor.declared ?? {};
  const { terms, filled, missing } = fillBlanks(policy.profile, declared, descriptor.hints);
  if (missing.length > 0) {
    find('refused', 'TERMS', `profile ${policy.profile} wants these declared: ${missing.join(', ')}`);
  }
  const argumentRules = policy.argumentRules ?? STRICT_ARGUMENTS;
  const { idempotencyKeyArgument } = declared;
  const keyDefect =
    idempotencyKeyArgument && keyArgumentDefect(idempotencyKeyArgument, inputSchema, argumentRules.unknown);
  if (keyDefect)
    find('refused', 'TERMS', `keyArgument "${lineOf(idempotencyKeyArgument, 64)}": ${keyDefect}`);
  if (missing.length > 0 || schemas.refused || keyDefect) return undefined;

  const { clean = (words) => words } = policy;
  const { schema, unfit } = sanitizeAnnotations(inputSchema, clean);
  if (unfit.length > 0) {
    const names = lineOf(unfit.join(', '), 200);
    find('flagged', 'SCHEMA_INVALID', `input schema: defaults that break it are not applied: ${names}`);
  }
  const contract: Omit<ToolContract, 'digest'> = {
    id: toolId,
    namespace,
    name,
    version,
    upstreamName,
    title: clean(titleOf(descriptor.title)),
    description: clean(descriptionOf(descriptor.description)),
    tags: tagsOf(descriptor.tags),
    operation: declared.operation ?? (terms.mutation === 'read_only' ? 'query' : 'mutation'),
    visibility: policy.visibility,
    inputSchema: schema,
    argumentRules,
    outputSchema,
    errors: declared.errors ?? [],
    ...terms,
    idempotent: declared.idempotent ?? false,
    idempotencyKeyArgument,
    sideEffects: declared.sideEffects ?? [],
    verification: declared.verification,
    labels: declared.labels ?? {},
    cost: declared.cost ?? {},
    examples: declared.examples ?? [],
    hints: descriptor.hints,
    filledByProfile: filled,
    schemaDefect: schemas.defect,
  };
  return Object.freeze({ ...contract, digest: digestOf(contract) });
}

function reportRepairs(
  descriptor: ToolDescriptor,
  repaired: { readonly name: string; readonly version: string | undefined },
  find: Find,
): void {
  if (repaired.name !== descriptor.name) {
    find('repaired', 'NAME', 'the name is outside the id grammar; dispatch uses the original');
  }
  if (typeof descriptor.version === 'string' && repaired.version !== descriptor.version) {
    find('repaired', 'VERSION', 'the version is outside the id grammar');
  }
  if (descriptor.description !== undefined && typeof descriptor.description !== 'string') {
    find('flagged', 'DESCRIPTION', 'the description is not text and was left out');
  }
}

/** A schema beyond the budget keeps its tool out; one that is merely wrong lets it in, to answer SCHEMA_INVALID. */
function inspectSchemas(
  descriptor: ToolDescriptor,
  policy: AdmissionPolicy,
  find: Find,
): { readonly refused: boolean; readonly defect: string | undefined } {
  let isRefused = false;
  let defect: string | undefined;
  for (const which of ['input', 'output'] as const) {
    const schema = descriptor[`${which}Schema`];
    if (schema === undefined || schema === null) continue;
    const { refused, unenforced } = isJsonObject(schema)
      ? inspectSchema(schema, policy.limits)
      : { refused: [], unenforced: [] };
    for (const reason of unenforced)
      find('flagged', 'SCHEMA_INVALID', `${which} schema: ${reason}; not enforced here`);
    if (refused.length > 0) {
      const refuse =
        policy.onOversizedSchema === 'refuse' || (isJsonObject(schema) && isTooDeepToHold(schema));
      find(refuse ? 'refused' : 'flagged', 'SCHEMA_INVALID', `${which} schema: ${refused.join('; ')}`);
      isRefused ||= refuse;
      continue;
    }
    const reason = isJsonObject(schema) ? schemaDefect(schema) : 'it is not an object';
    if (reason) {
      const sentence = plainLine(`${which} schema: ${reason}`);
      find('flagged', 'SCHEMA_INVALID', sentence);
      defect ??= sentence;
    }
  }
  return { refused: isRefused, defect };
}

function titleOf(title: unknown): string | undefined {
  return typeof title === 'string' ? lineOf(title, 128) : undefined;
}

function descriptionOf(description: unknown): string {
  return typeof description === 'string'
    ? plainText(description.slice(0, MAX_READ_LENGTH)).slice(0, MAX_DESCRIPTION_LENGTH).trim()
    : '';
}

function tagsOf(tags: unknown): readonly string[] {
  if (!Array.isArray(tags)) return [];
  const texts = tags.slice(0, MAX_TAGS).flatMap((tag) => (typeof tag === 'string' ? [lineOf(tag, 24)] : []));
  return [...new Set(texts)].filter((tag) => tag !== '').sort();
}

function lineOf(text: string, limit?: number): string {
  return plainLine(text.slice(0, MAX_READ_LENGTH), limit);
}

function digestOf(contract: object): string {
  return createHash('sha256').update(canonicalJson(contract)).digest('hex');
}
