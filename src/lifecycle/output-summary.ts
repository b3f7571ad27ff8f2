import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutputSummary } from '../contract/call/receipt.ts';
import type { ContentPart, ToolResult } from '../contract/call/tool-result.ts';

/** Up to this length a result is hashed in one step. */
const MAX_LENGTH_AT_ONCE = 1_000_000;

/**
 * The size and the digest of a result as the tool returned it, so that a receipt shows which result it was: SHA-256 over
 * the texts and the base64 of its parts and the JSON of everything else, in order.
 */
export function summarizeOutput(result: ToolResult): OutputSummary | null | Promise<OutputSummary | null> {
  const { content, structured } = result;
  try {
    const texts = content.flatMap(textsOf);
    if (structured !== undefined) texts.push(JSON.stringify(structured));
    const parts = content.length;
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > MAX_LENGTH_AT_ONCE) {
      return hashInTurns(texts).then((sha256) => ({ parts, bytes, sha256 }));
    }
    const text = texts.length === 1 ? texts[0]! : texts.join('');
    return { parts, bytes, sha256: hash('sha256', text) };
  } catch {
    // Nested too deep or too large to be serialized: Verify refuses such a result.
    return null;
  }
}

/** Base64 is not serialized with the rest of its part: that would copy tens of megabytes at once. */
function textsOf(part: ContentPart): string[] {
  switch (part.type) {
    case 'text':
      return [part.text];
    case 'image':
    case 'audio': {
      const { data, ...rest } = part;
      return [JSON.stringify(rest), data];
    }
    case 'resource': {
      const { blob = '', ...rest } = part.resource;
      return [JSON.stringify({ ...part, resource: rest }), blob];
    }
    case 'resource_link':
      return [JSON.stringify(part)];
  }
}

/** Other calls get a turn after each megabyte. */
async function hashInTurns(texts: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  let length = 0;
  for (const text of texts) {
    for (const piece of splitAtCharacters(text)) {
      digest.update(piece);
      length += piece.length;
      if (length < MAX_LENGTH_AT_ONCE) continue;
      length = 0;
      await nextTurn();
    }
  }
  return digest.digest('hex');
}

/** A divided surrogate pair would be hashed as two other characters. */
function* splitAtCharacters(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const limit = start + MAX_LENGTH_AT_ONCE;
    const end = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
    yield text.slice(start, end);
    start = end;
  }
}
