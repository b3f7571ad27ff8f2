import { createHash } from 'node:crypto';
import { runSync, type Steps } from '../base/async/cooperative.ts';
import { canonicalJson } from '../base/json/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import {
  type ArgumentRules,
  type Authorization,
  STRICT_ARGUMENTS,
  type ToolContract,
} from '../contract/tool/tool.ts';
import { findKeyArgumentDefect } from './arguments/key-argument.ts';
import { descriptionOf, printableLine, tagsOf, titleOf } from './descriptor-text.ts';
import { type Identity, reportRepairs } from './identity.ts';
import { type InspectedSchemas, inspectSchemas, type SchemaPolicy } from './inspect-schemas.ts';
import { type FindOverrides, overrideTool } from './overrides.ts';
import { completeTerms, type FilledTerms } from './profile.ts';
import { findCheckThatWrites } from './read-only-checks.ts';
import type { Finding, RefreshReport, ReportFinding } from './report.ts';
import { HARD_MAX_NAMES, hasTooManyNames } from './schema/budget.ts';
import { type Sanitize, sanitizeAnnotations } from './schema/sanitize-annotations.ts';

export interface AdmissionPolicy extends SchemaPolicy {
  readonly visibility: ToolContract['visibility'];
  readonly findOverrides?: FindOverrides;
  /** Which credential every call to the upstream has; absent where its tools decide that themselves. */
  readonly credential?: 'none' | 'gateway';
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
  return runSync(admitInSteps(namespace, descriptors, policy));
}

/** The same, one step for each tool: a long list must not block the event loop. */
export function* admitInSteps(
  namespace: string,
  descriptors: readonly ToolDescriptor[],
  policy: AdmissionPolicy,
): Steps<Admission> {
  const findings: Finding[] = [];
  const contracts = new Map<string, ToolContract>();
  const dispatchKeys = new Set<string>();
  const refuse = (
    { id, upstreamName, visibility }: ToolContract,
    code: Finding['code'],
    reason: string,
  ): void => {
    const name = printableLine(upstreamName);
    findings.push({ kind: 'refused', namespace, upstreamName: name, toolId: id, visibility, code, reason });
  };
  for (const descriptor of descriptors) {
    yield;
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
    yield;
    const reason = findCheckThatWrites(contract, contracts.values());
    if (reason === undefined) continue;
    refuse(contract, 'TERMS', reason);
    contracts.delete(contract.id);
  }
  return {
    contracts: [...contracts.values()],
    report: {
      namespace,
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
  offered: ToolDescriptor,
  { namespace, policy, findings }: AdmissionContext,
): ToolContract | undefined {
  const upstreamName = typeof offered.name === 'string' ? offered.name : '';
  let toolId: string | undefined;
  let { visibility } = policy;
  const report: ReportFinding = (kind, code, reason) => {
    const name = printableLine(upstreamName);
    findings.push({ kind, namespace, upstreamName: name, toolId, visibility, code, reason });
  };
  if (upstreamName === '') {
    report('refused', 'NAME', 'the tool has no name, so it cannot be called; the upstream must name it');
    return undefined;
  }
  const inputSchema = isJsonObject(offered.inputSchema) ? offered.inputSchema : { type: 'object' };
  if (hasTooManyNames(inputSchema)) {
    const reason = `input schema: more than ${HARD_MAX_NAMES} property names; split the tool`;
    report('refused', 'SCHEMA_INVALID', reason);
    return undefined;
  }
  const named = { namespace, upstreamName, inputSchema };
  const { descriptor, identity, overrides } = overrideTool(offered, named, policy.findOverrides);
  toolId = identity.id;
  visibility = overrides.visibility ?? visibility;
  if (overrides.off !== undefined || descriptor.unsupported !== undefined) {
    const code = overrides.off === undefined ? 'UNSUPPORTED' : 'OFF';
    report('left_out', code, overrides.off ?? descriptor.unsupported!);
    return undefined;
  }
  reportRepairs(descriptor, identity, report);
  const schemas = inspectSchemas(descriptor, policy, report);
  const parts = { identity, inputSchema, policy, visibility };
  const terms = requireTerms(descriptor, parts, report);
  if (!terms || schemas.refused) return undefined;
  return makeContract(descriptor, { ...parts, schemas, terms }, report);
}

interface ToolParts {
  readonly identity: Identity;
  readonly inputSchema: JsonObject;
  readonly policy: AdmissionPolicy;
  readonly visibility: ToolContract['visibility'];
}

/** The terms of a contract; undefined where they refuse the tool. */
function requireTerms(
  { declared = {}, hints }: ToolDescriptor,
  { identity, inputSchema, policy }: ToolParts,
  report: ReportFinding,
): FilledTerms | undefined {
  const terms = completeTerms(policy.profile, declared, hints);
  const defects: string[] = [];
  if (terms.missing.length > 0) {
    const section = `tools."${identity.namespace}:${identity.name}"`;
    const names = terms.missing.join(', ');
    defects.push(`profile ${policy.profile} requires ${names}; declare them in ${section}`);
  }
  const { idempotencyKeyArgument, authorization } = declared;
  const { unknown } = policy.argumentRules ?? STRICT_ARGUMENTS;
  const keyDefect =
    idempotencyKeyArgument && findKeyArgumentDefect(idempotencyKeyArgument, inputSchema, unknown);
  if (keyDefect)
    defects.push(`idempotencyKeyArgument "${printableLine(idempotencyKeyArgument, 64)}": ${keyDefect}`);
  const credentialDefect = findCredentialDefect(authorization?.credential, policy.credential);
  if (credentialDefect) defects.push(credentialDefect);
  for (const defect of defects) report('refused', 'TERMS', defect);
  if (defects.length > 0) return undefined;
  if (terms.raisedFromMs !== undefined) {
    const { windowMs } = terms.terms.idempotency;
    const reason = `the idempotency window of ${terms.raisedFromMs} ms is below the minimum and was raised to ${windowMs} ms`;
    report('flagged', 'TERMS', reason);
  }
  return terms;
}

/** Why a declared credential cannot be honoured: a call must not use another one than its contract says. */
function findCredentialDefect(
  declared: Authorization['credential'] | undefined,
  sent: AdmissionPolicy['credential'],
): string | undefined {
  if (sent !== undefined && declared === 'delegated')
    return `credential "delegated": the gateway cannot send the caller's credential to this upstream; use "gateway"`;
  if (sent === 'gateway' && declared === 'none')
    return 'credential "none": this upstream has env, envFile or headers in the config; remove them, or use "gateway"';
  return undefined;
}

function makeContract(
  descriptor: ToolDescriptor,
  parts: ToolParts & { readonly schemas: InspectedSchemas; readonly terms: FilledTerms },
  report: ReportFinding,
): ToolContract {
  const { identity, inputSchema, policy, visibility, schemas } = parts;
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
    visibility,
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
