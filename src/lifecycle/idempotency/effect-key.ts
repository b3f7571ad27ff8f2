import { hash } from 'node:crypto';
import type { CallRequest } from '../../contract/call/call-request.ts';
import { ownerOf } from '../../contract/call/principal.ts';
import type { ToolContract } from '../../contract/tool/tool.ts';

/**
 * The key of an effect: equal for all calls that must share one effect, and for no others. It is scoped to the caller, its
 * session and the tool, and survives restarts and new schemas. Equal text is one key, however its accents are encoded.
 */
export function effectKeyOf(
  { caller, idempotencyKey }: CallRequest,
  { namespace, name }: ToolContract,
): string | undefined {
  if (idempotencyKey === undefined) return undefined;
  const { principal, sessionId } = caller;
  return hash(
    'sha256',
    JSON.stringify([
      ownerOf(principal),
      sessionId ?? null,
      `${namespace}:${name}`,
      idempotencyKey.normalize('NFC'),
    ]),
  );
}
