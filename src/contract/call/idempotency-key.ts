import { createHmac } from 'node:crypto';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { JsonObject } from '../../base/json/json.ts';

export interface KeyParts {
  readonly sessionId: string;
  readonly toolId: string;
  /** The step of the plan. It distinguishes two intended calls with the same arguments. */
  readonly stepId: string;
  readonly params: JsonObject;
}

/**
 * Derives a key that an orchestrator can derive again after a restart: the same session, tool, step and arguments give the
 * same key, in any order of the arguments. Each part is hashed with its length, so that different parts never concatenate
 * to the same input.
 */
export function deriveIdempotencyKey(secret: string | Uint8Array, parts: KeyParts): string {
  const { sessionId, toolId, stepId, params } = parts;
  const hmac = createHmac('sha256', secret);
  for (const part of [sessionId, toolId, stepId, canonicalJson(params)]) {
    const bytes = Buffer.from(part);
    hmac.update(`${bytes.byteLength}:`).update(bytes);
  }
  return hmac.digest('hex');
}
