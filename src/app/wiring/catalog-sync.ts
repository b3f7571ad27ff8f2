import { createHash } from 'node:crypto';
import { runCooperatively, type Steps } from '../../base/async/cooperative.ts';
import { type AdmissionPolicy, admitInSteps } from '../../catalog/admit.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Upstream, UpstreamListener } from '../../contract/ports/upstream.ts';
import type { ToolDescriptor } from '../../contract/tool/descriptor.ts';
import type { ArgumentRules } from '../../contract/tool/tool.ts';
import { CatalogError } from '../../contract/tool/tool-id.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';
import { redactJson } from '../../redaction/redact-json.ts';
import type { RuleSet } from '../../redaction/rule-set.ts';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../logger.ts';
import { overridesFinder, type ToolSwitches } from './find-overrides.ts';

export interface Source {
  readonly upstream: Upstream;
  readonly expose: 'external' | 'internal';
  readonly argumentRules: ArgumentRules;
  readonly tools?: ToolSwitches;
  readonly credential?: 'none' | 'gateway';
}

export interface CatalogSyncOptions {
  readonly catalog: Catalog;
  readonly settings: Settings;
  readonly log: Logger;
  readonly secrets: RuleSet;
  readonly stateChanged: (upstream: Upstream) => void;
}

/** How long the event loop may be blocked by a long list, for each slice of the work (ms). */
const ADMISSION_SLICE_MS = 10;

/** Puts the tools of an upstream into the catalog and logs its state changes. An unchanged list costs its digest only. */
export function syncCatalog(
  { upstream, expose, argumentRules, tools, credential }: Source,
  { catalog, settings, log, secrets, stateChanged }: CatalogSyncOptions,
): UpstreamListener {
  const policy: AdmissionPolicy = {
    ...policyOf(settings, expose),
    argumentRules,
    findOverrides: overridesFinder(settings.tools, upstream.namespace, tools),
    ...(credential && { credential }),
    // Redacted once at admission, because a contract is shown in many places.
    sanitize: (text) => redactJson(text, secrets).value as typeof text,
  };
  let before: UpstreamState | undefined;
  let latest: readonly ToolDescriptor[] | undefined;
  let listDigest: string | undefined;
  return {
    async toolsListed(descriptors) {
      latest = descriptors;
      const digest = await runCooperatively(digestInSteps(descriptors), ADMISSION_SLICE_MS);
      // A list that arrived meanwhile replaces this one.
      const isUnchanged = digest !== undefined && digest === listDigest;
      if (isUnchanged || latest !== descriptors) return;
      const steps = admitInSteps(upstream.namespace, descriptors, policy);
      const admission = await runCooperatively(steps, ADMISSION_SLICE_MS);
      if (latest !== descriptors) return;
      listDigest = digest;
      try {
        catalog.replace(admission);
      } catch (thrown) {
        if (!(thrown instanceof CatalogError)) throw thrown;
        log.error({ upstream: upstream.namespace, err: thrown }, 'catalog refresh refused');
        if (upstream.state.kind === 'ready') stateChanged(upstream);
      }
    },
    stateChanged(state) {
      log[levelOf(state, before)]({ upstream: upstream.namespace, state }, 'upstream state changed');
      before = state;
      stateChanged(upstream);
    },
    warned(message) {
      log.warn({ upstream: upstream.namespace }, message);
    },
  };
}

/**
 * A server that announces changes without a change is common, and admission costs far more than a digest. Undefined where a
 * schema is nested too deep to be serialized: such a list counts as changed, and admission refuses the tool.
 */
function* digestInSteps(descriptors: readonly ToolDescriptor[]): Steps<string | undefined> {
  const digest = createHash('sha256');
  try {
    for (const descriptor of descriptors) {
      yield;
      digest.update(JSON.stringify(descriptor));
    }
  } catch {
    return undefined;
  }
  return digest.digest('base64');
}

function policyOf(
  { profile, catalog }: Settings,
  visibility: AdmissionPolicy['visibility'],
): AdmissionPolicy {
  return {
    profile,
    visibility,
    onOversizedSchema: catalog.onOversizedSchema,
    limits: {
      maxBytes: catalog.maxSchemaBytes,
      maxDepth: catalog.maxSchemaDepth,
      maxProperties: catalog.maxSchemaProperties,
      maxSubschemas: catalog.maxSchemaProperties * 4,
    },
  };
}

/** Each problem is a warning once, and so is its end. Further attempts that fail are no news. */
function levelOf(state: UpstreamState, before: UpstreamState | undefined): 'warn' | 'info' | 'debug' {
  if (state.kind === before?.kind) return reasonOf(state) === reasonOf(before) ? 'debug' : 'info';
  if (state.kind === 'ready' && before && isProblem(before)) return 'warn';
  return isProblem(state) ? 'warn' : 'info';
}

function reasonOf(state: UpstreamState): string | undefined {
  return 'reason' in state ? state.reason : undefined;
}

function isProblem({ kind }: UpstreamState): boolean {
  return kind !== 'ready' && kind !== 'starting' && kind !== 'stopped';
}
