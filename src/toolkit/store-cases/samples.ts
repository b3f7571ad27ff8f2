import { createHash } from 'node:crypto';
import type { Receipt } from '../../contract/call/receipt.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import type { CallEntry } from '../../contract/ports/receipt-log.ts';

/** A receipt with a value in every field; the given fields replace them. */
export function sampleReceipt(fields: Partial<Receipt> & Pick<Receipt, 'callId'>): Receipt {
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    at: '2026-03-01T12:00:00.000Z',
    principalId: 'agent-7',
    tenant: 'acme',
    client: { name: 'claude-desktop', version: '2.1.0' },
    credential: 'token:7f3a',
    transport: 'http',
    surface: 'mcp',
    operation: 'mutation',
    requested: '/files/read_file',
    toolId: 'files:read_file@1.2.0',
    toolVersion: '1.2.0',
    toolDigest: 'a'.repeat(64),
    mutation: 'write_reversible',
    sideEffects: [{ resource: 'file', action: 'UPDATE', scope: 'home' }],
    inputHash: 'b'.repeat(64),
    sentHash: 'c'.repeat(64),
    outputSummary: { parts: 1, bytes: 2_048, sha256: 'd'.repeat(64) },
    decision: {
      effect: 'ask',
      reasons: [{ rule: 'writes-need-approval', effect: 'ask', text: 'A person must approve writes.' }],
      obligations: [{ kind: 'redact', text: 'Without the addresses.' }],
    },
    approvalId: 'approval-9',
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

/** The log entry of `sampleReceipt`. */
export function sampleEntry(fields: Partial<Receipt> & Pick<Receipt, 'callId'>): CallEntry {
  return { kind: 'call', receipt: sampleReceipt(fields) };
}

/** An artifact with the handle and the digest of its bytes. */
export function sampleArtifact(content: string | Uint8Array): Artifact {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { handle: `art_${sha256.slice(0, 24)}`, sha256, mediaType: 'text/plain', bytes };
}
