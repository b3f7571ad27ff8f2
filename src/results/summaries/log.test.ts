import { describe, expect, it } from 'vitest';
import { LOGS } from '../../../test/results/logs.ts';
import { countTokens } from '../../app/wiring/tokenizer.ts';
import { isLog } from '../detect/log-line.ts';
import { summarize } from './summarize.ts';
import { summarizeText } from './text.ts';

const lines = Array.from(
  { length: 100 },
  (_, i) => `12:0${Math.floor(i / 60)}:${String(i % 60).padStart(2, '0')} INFO step ${i}`,
);
lines[41] = '12:00:41 ERROR it broke';

describe('summarizeText for logs', () => {
  it('shows length, levels, errors and last lines', () => {
    const { text, facts } = summarizeText([...lines, '', ''].join('\n'));
    expect(text(300).split('\n')).toEqual([
      'log of 102 lines, 12:00:00 to 12:01:39',
      'info 99, error 1',
      'errors by kind, the first in line 42:',
      '42: ERROR it broke',
      'end:',
      ...lines.slice(97, 100),
    ]);
    expect(facts).toEqual({
      format: 'log',
      lines: 102,
      levels: { info: 99, error: 1 },
      first_error_line: 42,
    });
  });

  it('groups errors that differ only in numbers and identifiers, the most frequent first', () => {
    const log = [
      ...lines.slice(0, 10),
      '12:00:10 ERROR disk full',
      ...[1, 2, 3].map((n) => `12:00:1${n} ERROR request r-${n}f took ${n}00 ms`),
      '12:00:14 FATAL out of memory',
    ].join('\n');
    const { text, facts } = summarizeText(log);
    expect(text(2_000).split('\n').slice(2, 6)).toEqual([
      'errors by kind, the first in line 11:',
      '12 ×3: ERROR request r-1f took 100 ms',
      '11: ERROR disk full',
      '15: FATAL out of memory',
    ]);
    expect(facts).toMatchObject({ levels: { info: 10, error: 5 } });
  });

  it.each([
    ['2026-03-01T12:00:00.123Z ERROR boom', 'error', '2026-03-01T12:00:00.123Z'],
    ['2026-03-01 12:00:00,123 [main] WARNING boom', 'warn', '2026-03-01 12:00:00,123'],
    ['Mar  1 12:00:00 host app[1]: notice: boom', 'info', 'Mar  1 12:00:00'],
    ['1.2.3.4 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200', undefined, '01/Mar/2026:12:00:00'],
    ['{"level":"error","time":"2026-03-01T12:00:00Z","msg":"boom"}', 'error', '2026-03-01T12:00:00Z'],
    ['[debug] 12:00:00 boom', 'debug', '12:00:00'],
    ['12:00:00 TRACE boom', 'trace', '12:00:00'],
    ['12:00:00 info: an error was handled', 'info', '12:00:00'],
  ])('reads level and time of %s', (line, level, time) => {
    const log = Array.from({ length: 8 }, () => line).join('\n');
    const { facts, text } = summarizeText(log);
    expect(facts).toEqual({
      format: 'log',
      lines: 8,
      levels: level === undefined ? {} : { [level]: 8 },
      ...(level === 'error' && { first_error_line: 1 }),
    });
    expect(text(500)).toContain(`, ${time} to ${time}\n`);
  });

  it.each(Object.keys(LOGS))('counts levels and errors of %s', (name) => {
    const { text, levels, errors, firstError } = LOGS[name]!;
    const summary = summarize(
      { content: [{ type: 'text', text }], isError: false },
      { countTokens, maxTokens: 300 },
    );
    expect(summary.facts).toEqual({
      format: 'log',
      lines: text.split('\n').length,
      levels,
      ...(errors !== (levels.error ?? 0) && { error_lines: errors }),
      first_error_line: firstError,
    });
    expect(summary.text).toMatch(new RegExp(`\\n(?:${firstError}|\\d+ ×\\d+): `));
  });

  it('counts lines without a level that look like errors', () => {
    const log = [...lines.slice(0, 9), 'java.lang.NullPointerException: x', '  at a.b.C', 'it failed'].join(
      '\n',
    );
    expect(summarizeText(log).facts).toMatchObject({ error_lines: 2, first_error_line: 10 });
  });

  it('states that there are no errors', () => {
    const log = Array.from({ length: 30 }, () => '[info] all is well').join('\n');
    expect(summarizeText(log).text(500)).toContain('no line looks like an error');
  });

  it('keeps the last line in a short summary', () => {
    const log = [
      ...lines,
      ...Array.from({ length: 50 }, (_, i) => `12:03:00 ERROR ${'abcdefgh'.slice(i % 8)} broke`),
    ];
    const text = summarizeText(log.join('\n')).text(300);
    expect(text.split('\n').at(-1)).toBe(log.at(-1));
    expect(text.length).toBeLessThanOrEqual(300);
  });

  it('does not take prose with a time for a log', () => {
    expect(isLog(['We met at 12:00:00 sharp.', 'It was fine.', 'Error is human.'])).toBe(false);
    expect(isLog(Array.from({ length: 20 }, (_, i) => (i < 6 ? '12:00:00 x' : 'prose')))).toBe(false);
  });
});
