import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/json/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import { type ArgumentRules, STRICT_ARGUMENTS, type ToolContract } from '../contract/tool/tool.ts';
import { formatToolId, repairName, repairVersion, toolShapeHash } from '../contract/tool/tool-id.ts';
import { findKeyArgumentDefect } from './arguments/key-argument.ts';
import { descriptionOf, MAX_READ_LENGTH, printableLine, tagsOf, titleOf } from './descriptor-text.ts';
import { type InspectedSchemas, inspectSchemas, type SchemaPolicy } from './inspect-schemas.ts';
import { completeTerms, type FilledTerms, type ProfileName } from './profile.ts';
import { findCheckThatWrites } from './read-only-checks.ts';
import type { Finding, RefreshReport, ReportFinding } from './report.ts';
import { HARD_MAX_NAMES, hasTooManyNames } from './schema/budget.ts';
import { type Sanitize, sanitizeAnnotations } from './schema/sanitize-annotations.ts';

export interface AdmissionPolicy extends SchemaPolicy {
  readonly profile: ProfileName;
  readonly visibility: 'external' | 'internal';
  readonly argumentRules?: ArgumentRules;
  /** Removes secrets from titles, descriptions and annotations; nothing is removed where it is absent. */
  readonly sanitize?: Sanitize;
}

export interface Admission {
  readonly contracts: readonly ToolContract[];
  readonly report: RefreshReport;
}

/** Makes contracts of the tools of one upstream. No tool is refused for its name; the report lists all findings. */
export function admit(
  namespace: string,
  descriptors: readonly ToolDescriptor[],
  policy: AdmissionPolicy,
): Admission {
  const findings: Finding[] = [];
  const contracts = new Map<string, ToolContract>();
  const dispatchKeys = new Set<string>();
  const refuse = ({ id, upstreamName }: ToolContract, code: Finding['code'], reason: string): void => {
    const name = printableLine(upstreamName);
    findings.push({ kind: 'refused', namespace, upstreamName: name, toolId: id, code, reason });
  };
  for (const descriptor of descriptors) {
    const contract = admitTool(descriptor, { namespace, policy, findings });
    if (!contract) continue;
    const dispatchKey = `${contract.version ?? ''}\n${contract.upstreamName}`;
    if (contracts.has(contract.id) || dispatchKeys.has(dispatchKey)) {
      const reason = 'an earlier tool of this upstream has the same name and version; rename one of them';
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
  readonly namespace: string;
  readonly policy: AdmissionPolicy;
  readonly findings: Finding[];
}

function admitTool(
  descriptor: ToolDescriptor,
  { namespace, policy, findings }: AdmissionContext,
): ToolContract | undefined {
  const upstreamName = typeof descriptor.name === 'string' ? descriptor.name : '';
  let toolId: string | undefined;
  const report: ReportFinding = (kind, code, reason) => {
    findings.push({ kind, namespace, upstreamName: printableLine(upstreamName), toolId, code, reason });
  };
  if (upstreamName === '') {
    report('refused', 'NAME', 'the tool has no name, so it cannot be called; the upstream must name it');
    return undefined;
  }
  const inputSchema = isJsonObject(descriptor.inputSchema) ? descriptor.inputSchema : { type: 'object' };
  if (hasTooManyNames(inputSchema)) {
    const reason = `input schema: more than ${HARD_MAX_NAMES} property names; split the tool`;
    report('refused', 'SCHEMA_INVALID', reason);
    return undefined;
  }
  const identity = identify(namespace, descriptor, { upstreamName, inputSchema });
  toolId = identity.id;
  reportRepairs(descriptor, identity, report);
  const schemas = inspectSchemas(descriptor, policy, report);
  const terms = requireTerms(descriptor, { identity, inputSchema, policy }, report);
  if (!terms || schemas.refused) return undefined;
  return makeContract(descriptor, { identity, inputSchema, policy, schemas, terms }, report);
}

type Identity = Pick<ToolContract, 'id' | 'namespace' | 'name' | 'version' | 'upstreamName'>;

function identify(
  namespace: string,
  descriptor: ToolDescriptor,
  { upstreamName, inputSchema }: { readonly upstreamName: string; readonly inputSchema: JsonObject },
): Identity {
  const name = repairName(upstreamName.slice(0, MAX_READ_LENGTH));
  const version = typeof descriptor.version === 'string' ? repairVersion(descriptor.version) : undefined;
  const id = formatToolId({
    namespace,
    name,
    ...(version && { version }),
    // Repair can make two names equal. The hash covers the original name, so the ids stay different.
    ...((!version || name !== upstreamName) && { hash8: toolShapeHash(upstreamName, inputSchema) }),
  });
  return { id, namespace, name, version, upstreamName };
}

function reportRepairs(descriptor: ToolDescriptor, repaired: Identity, report: ReportFinding): void {
  if (repaired.name !== descriptor.name) {
    const reason = 'the name is outside the id grammar; the id has a repaired name, calls use the original';
    report('repaired', 'NAME', reason);
  }
  if (typeof descriptor.version === 'string' && repaired.version !== descriptor.version) {
    report('repaired', 'VERSION', 'the version is outside the id grammar; the id has a repaired version');
  }
  if (descriptor.description !== undefined && typeof descriptor.description !== 'string') {
    report('flagged', 'DESCRIPTION', 'the description is not text and was removed');
  }
}

interface ToolParts {
  readonly identity: Identity;
  readonly inputSchema: JsonObject;
  readonly policy: AdmissionPolicy;
}

/** The terms of a contract; undefined where they refuse the tool. */
function requireTerms(
  { declared = {}, hints }: ToolDescriptor,
  { identity, inputSchema, policy }: ToolParts,
  report: ReportFinding,
): FilledTerms | undefined {
  const terms = completeTerms(policy.profile, declared, hints);
  if (terms.missing.length > 0) {
    const section = `tools."${identity.namespace}:${identity.name}"`;
    const names = terms.missing.join(', ');
    report('refused', 'TERMS', `profile ${policy.profile} requires ${names}; declare them in ${section}`);
  }
  const { idempotencyKeyArgument } = declared;
  const { unknown } = policy.argumentRules ?? STRICT_ARGUMENTS;
  const defect =
    idempotencyKeyArgument && findKeyArgumentDefect(idempotencyKeyArgument, inputSchema, unknown);
  if (defect) {
    const argument = printableLine(idempotencyKeyArgument, 64);
    report('refused', 'TERMS', `idempotencyKeyArgument "${argument}": ${defect}`);
  }
  return terms.missing.length > 0 || defect ? undefined : terms;
}

function makeContract(
  descriptor: ToolDescriptor,
  parts: ToolParts & { readonly schemas: InspectedSchemas; readonly terms: FilledTerms },
  report: ReportFinding,
): ToolContract {
  const { identity, inputSchema, policy, schemas } = parts;
  const { terms, filled } = parts.terms;
  const { sanitize = (value) => value } = policy;
  const { declared = {} } = descriptor;
  const { schema, invalidDefaults } = sanitizeAnnotations(inputSchema, sanitize);
  if (invalidDefaults.length > 0) {
    const names = printableLine(invalidDefaults.join(', '), 200);
    const reason = `input schema: these defaults violate it and are not applied: ${names}`;
    report('flagged', 'SCHEMA_INVALID', reason);
  }
  const contract: Omit<ToolContract, 'digest'> = {
    kind: 'tool',
    ...identity,
    title: sanitize(titleOf(descriptor.title)),
    description: sanitize(descriptionOf(descriptor.description)),
    tags: tagsOf(descriptor.tags),
    operation: declared.operation ?? (terms.mutation === 'read_only' ? 'query' : 'mutation'),
    visibility: policy.visibility,
    inputSchema: schema,
    argumentRules: policy.argumentRules ?? STRICT_ARGUMENTS,
    outputSchema: isJsonObject(descriptor.outputSchema) ? descriptor.outputSchema : undefined,
    errors: declared.errors ?? [],
    ...terms,
    idempotent: declared.idempotent ?? false,
    idempotencyKeyArgument: declared.idempotencyKeyArgument,
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

function digestOf(contract: object): string {
  return createHash('sha256').update(canonicalJson(contract)).digest('hex');
}
