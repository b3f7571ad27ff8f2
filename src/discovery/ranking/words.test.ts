import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOf } from './words.ts';

describe('wordsOf', () => {
  it.each([
    ['createIssue', ['create', 'issue']],
    ['HTTPServerError', ['http', 'server', 'error']],
    ['list_pull-requests.v2', ['list', 'pull', 'request', 'v2']],
    ['Please list the files in a folder', ['list', 'file', 'folder']],
    ['queries boxes classes searching status bus', ['query', 'box', 'class', 'search', 'status', 'bus']],
    ['Café', ['cafe']],
    ['Cafe\u0301Bar', ['cafe', 'bar']],
    ['ÜBERSETZUNG über', ['ubersetzung', 'uber']],
    ['Отправить сообщение', ['отправить', 'сообщение']],
    ['ﬁle ①', ['file', '1']],
    ['हिन्दी', ['हिन्दी']],
    ['发送消息', ['发', '送', '消', '息', '发送', '送消', '消息']],
    ['read读取', ['read', '读', '取', '读取']],
    ['サーバー', ['サ', 'ー', 'バ', 'ー', 'サー', 'ーバ', 'バー']],
    ['Ṛ🈁', ['r', 'コ', 'コ', 'ココ']],
    ['', []],
    ['!?… 🎉', []],
  ])('splits %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('gives the same lower-case words for both normal forms, and no empty word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = wordsOf(text);
        expect(words).not.toContain('');
        expect(wordsOf(text.normalize('NFD'))).toEqual(wordsOf(text.normalize('NFC')));
        expect(wordsOf(words.join(' ')).every((word) => word === word.toLowerCase())).toBe(true);
      }),
    );
  });
});
