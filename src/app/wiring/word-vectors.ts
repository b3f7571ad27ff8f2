import { readFileSync } from 'node:fs';
import { WordVectors } from '../../discovery/ranking/word-vectors.ts';

// Beside dist/ in the published package, and beside src/ in a checkout.
const CANDIDATES = ['../assets/word-vectors.bin', '../../../assets/word-vectors.bin'];

/** Loads the word vectors that ship with the package. */
export function loadWordVectors(): WordVectors {
  for (const path of CANDIDATES) {
    try {
      return new WordVectors(readFileSync(new URL(path, import.meta.url)));
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
    }
  }
  throw new Error(
    'assets/word-vectors.bin is missing. Reinstall Toolgate, or set discovery.embeddings to off.',
  );
}
