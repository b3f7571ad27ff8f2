import { describe, expect, it } from 'vitest';
import { redact } from '../redact.ts';
import { makeRuleSet } from '../rule-set.ts';

const rules = makeRuleSet();
const NAMED = '[redacted:named-secret]';

describe('redactTables', () => {
  it.each([
    ['commas', 'user,password,role\nann,hunter2,admin\nben,letmein9,user'],
    ['one row', 'user,password\nann,hunter2'],
    ['quotes', '"user","password"\n"ann","hunter2"\r\n"b ""x"" en","letmein9"\n'],
    ['a cell with a line break and a comma', 'note,password\n"a,\nb",hunter2\nc,letmein9'],
    ['a first cell with a line break', 'note,password\n"a\nb",hunter2\nc,letmein9'],
    [
      'a quote inside of a plain cell',
      'item,password,size\na,hunter2,1\n5" pipe,letmein9,2\n"b",hunter2,3\nc,letmein9,4',
    ],
    [
      'quotes inside of plain cells in several rows',
      'item,password\n5" pipe,hunter2\n3" pipe,letmein9\nb,hunter2',
    ],
    ['a quote that is never closed', 'item,password\n"5 pipe,hunter2\nb,letmein9'],
    ['a quoted cell after an empty one', 'a\tpassword\tb\nx\thunter2\t"y"\n\tletmein9\t\nz\t\t"w"'],
    ['quoted cells between tabs', 'user\tpassword\n"ann"\t"hunter2"\n"b\ten"\t"letmein9"'],
    ['tabs', 'user\tapi_password\nann\thunter2\nben\tletmein9'],
    ['semicolons', 'user;password;age\nann;hunter2;7'],
    [
      'Markdown',
      '| user | password |\n|---|:-:|\n| a\\|nn | hunter2 |\n| ben | letmein9 |\n\nAnd so on, hunter.',
    ],
    ['Markdown in bold', '**Users**\n| user | **password** |\n|---|---|\n| ann | hunter2 |'],
    ['a database shell', ' user | password \n------+----------\n ann  | hunter2  \n(1 row)'],
    [
      'a database shell with borders',
      '+------+----------+\n| user | password |\n+------+----------+\n| ann  | hunter2  |\n+------+----------+',
    ],
    ['a line that ends with a colon', 'The rows are:\nuser,password\nann,hunter2'],
    ['a code fence', 'See:\n\n```csv\nuser,password\nann,hunter2\n```\nDone.'],
    ['names and values', '| Variable | Value |\n|---|---|\n| `DB_PASSWORD` | hunter2 |\n| PORT | 8080 |'],
  ])('redacts the cells of a sensitive column: %s', (_, text) => {
    const expected = text.replace(/hunter2|letmein9/g, NAMED);
    expect(redact(text, rules).text).toBe(expected);
    expect(redact(expected, rules)).toEqual({ text: expected, found: {} });
  });

  it('keeps other columns, placeholders and plain words', () => {
    const text = 'user,password,token\nann,,basic\nben,****,\nhunter2,<password>,none';
    expect(redact(text, rules)).toEqual({ text, found: {} });
  });

  it.each([
    'I forgot my name, password\nand my address, login',
    'The options are name,password\nor a token',
    '| Parameter | Type | Description |\n|---|---|---|\n| password | string | The password of the user |',
    'a,b\nc,password\nd,e',
    'token,count\nthe,17\nof,12\nhunting,2',
  ])('keeps %j, which has no sensitive column', (text) => {
    expect(redact(text, rules)).toEqual({ text, found: {} });
  });
});
