import type { DeclaredTerms } from '../contract/tool/descriptor.ts';
import { TIMEOUT_MS, type TimeoutClass } from '../contract/tool/timeout-class.ts';
import type {
  Authorization,
  ContractBlank,
  Idempotency,
  MutationClass,
  ToolHints,
} from '../contract/tool/tool.ts';

export const PROFILES = ['personal', 'team', 'production'] as const;
export type ProfileName = (typeof PROFILES)[number];

/** The terms that a contract cannot do without. */
export interface Terms {
  readonly mutation: MutationClass;
  readonly timeoutClass: TimeoutClass;
  readonly authorization: Authorization;
  readonly idempotency: Idempotency;
}

export interface FilledTerms {
  readonly terms: Terms;
  readonly filled: readonly ContractBlank[];
  /** What this profile does not fill and nobody declared: the tool is refused. */
  readonly missing: readonly ContractBlank[];
}

const HOUR_MS = 3_600_000;

/** What an upstream's silence means. A default that the operator chose by choosing the profile counts as defined. */
export function fillBlanks(profile: ProfileName, declared: DeclaredTerms, hints: ToolHints): FilledTerms {
  const filled: ContractBlank[] = [];
  const missing: ContractBlank[] = [];
  const fill = <Term>(
    blank: ContractBlank,
    stated: Term | undefined,
    byProfile: Term,
    mustBeStated = false,
  ): Term => {
    if (stated !== undefined) return stated;
    (mustBeStated ? missing : filled).push(blank);
    return byProfile;
  };
  const production = profile === 'production';
  const mutation = fill('mutation', declared.mutation, mutationFrom(hints, production));
  const timeoutClass = fill(
    'timeoutClass',
    declared.timeoutClass,
    profile === 'personal' ? 'long_running' : 'standard',
    production,
  );
  const authorization = fill(
    'authorization',
    declared.authorization,
    authorizationOf(profile, mutation),
    production,
  );
  const idempotency = fill('idempotency', declared.idempotency, {
    key: mutation === 'read_only' ? 'optional' : KEY_OF_WRITES[profile],
    windowMs: Math.max(2 * TIMEOUT_MS[timeoutClass], HOUR_MS),
  });
  return { terms: { mutation, timeoutClass, authorization, idempotency }, filled, missing };
}

const KEY_OF_WRITES: Readonly<Record<ProfileName, Idempotency['key']>> = {
  personal: 'optional',
  team: 'recommended',
  production: 'required',
};

function mutationFrom(hints: ToolHints, doubtIsIrreversible: boolean): MutationClass {
  if (hints.readOnly) return 'read_only';
  if (hints.destructive || doubtIsIrreversible) return 'write_irreversible';
  return 'write_reversible';
}

function authorizationOf(profile: ProfileName, mutation: MutationClass): Authorization {
  const scope = mutation === 'read_only' ? 'tools:read' : 'tools:write';
  return { requiredScopes: profile === 'personal' ? [] : [scope], credential: 'gateway' };
}
