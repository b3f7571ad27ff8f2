import { createHmac } from 'node:crypto';
import { canonicalJson } from '../../base/json/canonical-json.ts';
import type { JsonObject } from '../../base/json/json.ts';

export interface KeyParts {
  readonly sessionId: string;
  readonly toolId: string;
  /** The step of the plan: two equal calls that are both wanted differ in it. */
  readonly stepId: string;
  readonly params: JsonObject;
}

/**
 * A key for an orchestrator that wants the same one after a restart: the same session, tool, step and arguments give the
 * same key, whatever the order of the arguments. Each part goes in with its length, so that none runs into the next.
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
