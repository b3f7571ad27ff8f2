const STOP_WORDS = new Set(
  'a an and are as at be by can do for from has have i in into is it its me my of on or our please that the this to up want we what with you your'.split(
    ' ',
  ),
);

/** The words of a text, identifiers split at case, digits and punctuation, stop words dropped, lightly stemmed. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map(stem);
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && /(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/[su]s$/.test(word)) return word.slice(0, -1);
  return word;
}
