import { createHash } from 'node:crypto';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';

/** A receipt with something in every field; the given ones replace its own. */
export function sampleReceipt(fields: Partial<Receipt> & Pick<Receipt, 'callId'>): Receipt {
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    at: '2026-03-01T12:00:00.000Z',
    principalId: 'agent-7',
    surface: 'mcp',
    requested: '/files/read_file',
    toolId: 'files:read_file@1.2.0',
    toolDigest: 'a'.repeat(64),
    mutation: 'write_reversible',
    inputHash: 'b'.repeat(64),
    decision: {
      effect: 'ask',
      reasons: [{ rule: 'writes-need-approval', effect: 'ask', text: 'A person must approve writes.' }],
      obligations: [{ kind: 'redact', text: 'Without the addresses.' }],
    },
    status: 'failed',
    errorCode: 'APPROVAL_REQUIRED',
    phase: 'authorize',
    durationMs: 12.625,
    idempotencyKey: 'order-41',
    source: 'compute',
    attempts: 2,
    ...fields,
  };
}

/** An artifact with the handle and the digest that its bytes call for. */
export function sampleArtifact(content: string | Uint8Array): Artifact {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { handle: `art_${sha256.slice(0, 24)}`, sha256, mediaType: 'text/plain', bytes };
}
