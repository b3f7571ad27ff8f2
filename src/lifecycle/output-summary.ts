import { hash } from 'node:crypto';
import type { OutputSummary } from '../contract/call/receipt.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';

/** The size and the digest of a result as the tool returned it, so that a receipt shows which result it was. */
export function summarizeOutput({ content, structured }: ToolResult): OutputSummary | null {
  try {
    const text = JSON.stringify({ content, structured });
    return { parts: content.length, bytes: Buffer.byteLength(text), sha256: hash('sha256', text) };
  } catch {
    // Nested too deep or too large to be serialized: Verify refuses such a result.
    return null;
  }
}
