import type { JsonObject } from '../../base/json/json.ts';

/** Who is calling, as identity settled it. Nothing of a credential is in here. */
export interface Principal {
  readonly id: string;
  readonly kind: 'local_user' | 'user' | 'agent' | 'service';
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  /** Actions by resource type, for rules such as «may `write` some `repository`». */
  readonly resources: Readonly<Record<string, readonly string[]>>;
  readonly attributes: JsonObject;
  /** Isolates what tenants store; absent where there is only one. */
  readonly tenant?: string;
}

/** The person at the keyboard: whoever can start the process on stdio or reach its loopback port. */
export const LOCAL_USER: Principal = {
  id: 'local',
  kind: 'local_user',
  roles: [],
  scopes: [],
  resources: {},
  attributes: {},
};

/** Whose artifacts these are. JSON keeps a tenant and an id from running into each other. */
export function ownerOf(principal: Principal): string {
  return JSON.stringify([principal.tenant ?? null, principal.id]);
}
