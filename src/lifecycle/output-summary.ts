import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutputSummary } from '../contract/call/receipt.ts';
import type { ContentPart, ToolResult } from '../contract/call/tool-result.ts';

/** Up to this length a result is hashed in one step. */
const MAX_LENGTH_AT_ONCE = 1_000_000;

/**
 * The size and the digest of a result as the tool returned it, so that a receipt shows which result it was: SHA-256 over
 * the texts of its parts and the JSON of everything else, in order.
 */
export function summarizeOutput(result: ToolResult): OutputSummary | null | Promise<OutputSummary | null> {
  const { content, structured } = result;
  try {
    const texts = content.map(textOf);
    if (structured !== undefined) texts.push(JSON.stringify(structured));
    const text = texts.length === 1 ? texts[0]! : texts.join('');
    const parts = content.length;
    const bytes = Buffer.byteLength(text);
    if (text.length > MAX_LENGTH_AT_ONCE) {
      return hashInTurns(texts).then((sha256) => ({ parts, bytes, sha256 }));
    }
    return { parts, bytes, sha256: hash('sha256', text) };
  } catch {
    // Nested too deep or too large to be serialized: Verify refuses such a result.
    return null;
  }
}

function textOf(part: ContentPart): string {
  return part.type === 'text' ? part.text : JSON.stringify(part);
}

/** Other calls get a turn after each part. */
async function hashInTurns(texts: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const text of texts) {
    digest.update(text);
    await nextTurn();
  }
  return digest.digest('hex');
}
