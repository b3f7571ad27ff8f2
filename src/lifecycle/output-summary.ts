import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutputSummary } from '../contract/call/receipt.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';

/** Other calls get a turn after this many characters. */
const CHARACTERS_PER_TURN = 2_000_000;

/** The size and the digest of a result as the tool returned it, so that a receipt shows which result it was. */
export async function summarizeOutput({ content, structured }: ToolResult): Promise<OutputSummary | null> {
  const parts = content.length;
  try {
    const texts = (structured === undefined ? content : [...content, structured]).map((part) =>
      JSON.stringify(part),
    );
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const sha256 = bytes <= CHARACTERS_PER_TURN ? hash('sha256', texts.join('')) : await hashInTurns(texts);
    return { parts, bytes, sha256 };
  } catch {
    // Nested too deep or too large to be serialized: Verify refuses such a result.
    return null;
  }
}

async function hashInTurns(texts: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const text of texts) {
    digest.update(text);
    await nextTurn();
  }
  return digest.digest('hex');
}
