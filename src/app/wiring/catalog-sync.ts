import { type AdmissionPolicy, admit } from '../../catalog/admit.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Upstream, UpstreamListener } from '../../contract/ports/upstream.ts';
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

/** Puts the tools of an upstream into the catalog and logs its state changes. */
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
  return {
    toolsListed(descriptors) {
      try {
        catalog.replace(admit(upstream.namespace, descriptors, policy));
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
