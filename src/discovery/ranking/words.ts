const STOP_WORDS = new Set(
  'a an and are as at be by can do for from has have i in into is it its me my of on or our please that the this to up want we what with you your'.split(
    ' ',
  ),
);

/** Splits a text into lower-case words: identifiers are split at case and punctuation, accents are removed. */
export function plainWordsOf(text: string): string[] {
  const plain = removeAccents(text);
  const split = plain
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u);
  if (!HAS_UNSPACED.test(plain)) return split.filter((word) => word !== '');
  return split
    .flatMap((run) => run.match(SCRIPT_RUNS) ?? [])
    .flatMap((run) => (STARTS_UNSPACED.test(run) ? charactersAndPairs(run) : [run]));
}

/** The words of a text for search: without stop words, lightly stemmed. */
export function wordsOf(text: string): string[] {
  return searchWords(plainWordsOf(text));
}

export function searchWords(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

export function uniqueSearchWords(words: readonly string[]): string[] {
  return [...new Set(searchWords(words))];
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** People often type `e` for `é`, so accents are removed. Marks of other scripts distinguish words and stay. */
function removeAccents(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

// Scripts without spaces between words. A dictionary-based segmenter would give different words on another machine.
const UNSPACED_SCRIPTS = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const ASCII = /^[\x00-\x7f]*$/;
const HAS_UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');
const SCRIPT_RUNS = new RegExp(`[${UNSPACED_SCRIPTS}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu');

function charactersAndPairs(run: string): string[] {
  const characters = Array.from(run);
  return [...characters, ...characters.slice(1).map((character, i) => `${characters[i]}${character}`)];
}

export function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && /(?:ss|x|z|ch|sh|[^aeo]us)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/[su]s$/.test(word)) return word.slice(0, -1);
  return word;
}
