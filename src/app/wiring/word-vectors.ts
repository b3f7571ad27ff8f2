import { readFileSync } from 'node:fs';
import { WordVectors } from '../../discovery/ranking/word-vectors.ts';

// Beside dist/ when published, and beside src/ in a checkout.
const PLACES = ['../assets/word-vectors.bin', '../../../assets/word-vectors.bin'];

/** The static vectors that ship with the package, read when the first query comes. */
export function loadWordVectors(): WordVectors {
  for (const place of PLACES) {
    try {
      return new WordVectors(readFileSync(new URL(place, import.meta.url)));
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
    }
  }
  throw new Error('assets/word-vectors.bin is missing: install Toolgate again');
}
