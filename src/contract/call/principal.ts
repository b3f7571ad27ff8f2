import type { JsonObject } from '../../base/json/json.ts';

/** Who is calling, as resolved from the credentials. It contains no part of a credential. */
export interface Principal {
  readonly id: string;
  readonly kind: 'local_user' | 'user' | 'agent' | 'service';
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  /** Allowed actions by resource type, for rules such as "may `write` a `repository`". */
  readonly resources: Readonly<Record<string, readonly string[]>>;
  readonly attributes: JsonObject;
  /** Isolates the stored data of tenants; absent where there is only one. */
  readonly tenant?: string;
}

/** The user of this machine: anyone who can start the process on stdio or reach its loopback port. */
export const LOCAL_USER: Principal = {
  id: 'local',
  kind: 'local_user',
  roles: [],
  scopes: [],
  resources: {},
  attributes: {},
};

/** A call asks for its owner several times. */
const owners = new WeakMap<Principal, string>();

/** Identifies the owner of stored data. JSON keeps different pairs of tenant and id apart. */
export function ownerOf(principal: Principal): string {
  let owner = owners.get(principal);
  if (owner === undefined) {
    owner = JSON.stringify([principal.tenant ?? null, principal.id]);
    owners.set(principal, owner);
  }
  return owner;
}
