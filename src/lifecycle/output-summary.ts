import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutputSummary } from '../contract/call/receipt.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';

/** Other calls get a turn after this many bytes. */
const BYTES_PER_TURN = 2_000_000;

/** The size and the digest of a result as the tool returned it, so that a receipt shows which result it was. */
export async function summarizeOutput({ content, structured }: ToolResult): Promise<OutputSummary | null> {
  const digest = createHash('sha256');
  let bytes = 0;
  let nextPause = BYTES_PER_TURN;
  try {
    for (const part of structured === undefined ? content : [...content, structured]) {
      const text = JSON.stringify(part);
      digest.update(text);
      bytes += Buffer.byteLength(text);
      if (bytes > nextPause) {
        nextPause = bytes + BYTES_PER_TURN;
        await nextTurn();
      }
    }
  } catch {
    // Nested too deep or too large to be serialized: Verify refuses such a result.
    return null;
  }
  return { parts: content.length, bytes, sha256: digest.digest('hex') };
}
