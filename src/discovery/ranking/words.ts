const STOP_WORDS = new Set(
  'a an and are as at be by can do for from has have i in into is it its me my of on or our please that the this to up want we what with you your'.split(
    ' ',
  ),
);

/** The words of a text as a reader would count them: identifiers split at case and punctuation, accents dropped. */
export function plainWordsOf(text: string): string[] {
  const split = withoutAccents(text)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u);
  if (!UNSPACED_SOMEWHERE.test(text)) return split.filter((word) => word !== '');
  return split
    .flatMap((run) => run.match(SCRIPT_RUNS) ?? [])
    .flatMap((run) => (UNSPACED.test(run) ? charactersAndPairs(run) : [run]));
}

/** The words that a search goes by: stop words dropped, lightly stemmed. */
export function wordsOf(text: string): string[] {
  return searchWords(plainWordsOf(text));
}

export function searchWords(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** `é` and `e` are one letter to a person in a hurry; the marks of other scripts tell words apart and stay. */
function withoutAccents(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

// Written without spaces between words. A dictionary could cut them, and would cut them otherwise on another machine.
const UNSPACED_SCRIPTS = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const ASCII = /^[\x00-\x7f]*$/;
const UNSPACED_SOMEWHERE = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');
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
