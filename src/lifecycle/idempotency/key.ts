import { hash } from 'node:crypto';
import { ownerOf } from '../../contract/call/principal.ts';
import type { RequestedCall } from '../states.ts';

/**
 * The same for every call that must have its effect together with this one, and for no other: whose key, and for which
 * tool. It outlives restarts and new schemas.
 */
export function idempotencyKeyFor({ contract, record }: RequestedCall): string | undefined {
  const { idempotencyKey, sessionId, principal } = record.request;
  if (idempotencyKey === undefined) return undefined;
  const tool = `${contract.namespace}:${contract.name}`;
  record.effectKey ??= hash(
    'sha256',
    JSON.stringify([ownerOf(principal), sessionId ?? null, tool, idempotencyKey]),
  );
  return record.effectKey;
}
