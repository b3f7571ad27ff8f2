/** Logs in common formats, 300 entries each, with the expected counts. */

export interface SampleLog {
  readonly text: string;
  readonly levels: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly firstError: number;
}

const ENTRIES = 300;
const two = (number: number): string => String(number).padStart(2, '0');
const clock = (i: number): string => `12:${two(Math.floor(i / 60))}:${two(i % 60)}`;
const isErrorEntry = (i: number): boolean => i % 30 === 29;
const everyLine = (line: (i: number) => string): string =>
  Array.from({ length: ENTRIES }, (_, i) => line(i)).join('\n');
const WITH_LEVELS = { levels: { info: 290, error: 10 }, errors: 10, firstError: 30 };

const TRACE = [
  'java.lang.IllegalStateException: no error handler, sorry',
  ...Array.from({ length: 25 }, (_, i) => `\tat com.shop.error.Step${i}.run(Step${i}.java:${i})`),
  'Caused by: java.io.IOException: connection reset, by peer',
  '\t... 12 more',
];

export const LOGS: Readonly<Record<string, SampleLog>> = {
  "Python's default format": {
    ...WITH_LEVELS,
    text: everyLine(
      (i) => `2026-03-01 ${clock(i)},123 - app - ${isErrorEntry(i) ? 'ERROR' : 'INFO'} - request ${i} done`,
    ),
  },
  "Python's root logger": {
    ...WITH_LEVELS,
    text: everyLine((i) => `${isErrorEntry(i) ? 'ERROR' : 'INFO'}:root:request ${i}, done`),
  },
  'JSON with words for levels': {
    ...WITH_LEVELS,
    text: everyLine((i) =>
      JSON.stringify({
        msg: `no error ${i}`,
        level: isErrorEntry(i) ? 'error' : 'info',
        time: `2026-03-01T${clock(i)}Z`,
      }),
    ),
  },
  'JSON with numbers for levels': {
    ...WITH_LEVELS,
    text: everyLine((i) =>
      JSON.stringify({ level: isErrorEntry(i) ? 50 : 30, time: 1e12 + i, pid: 7, msg: `did ${i}` }),
    ),
  },
  logfmt: {
    ...WITH_LEVELS,
    text: everyLine(
      (i) => `ts=${1e9 + i} caller=a.go:${i} level=${isErrorEntry(i) ? 'error' : 'info'} msg="x, y"`,
    ),
  },
  'an access log': {
    levels: {},
    errors: 10,
    firstError: 30,
    text: everyLine(
      (i) =>
        `2001:db8:85a3::8a2e:370:${1e3 + i} - - [01/Mar/2026:${clock(i)} +0000] "GET /a,b HTTP/1.1" ${isErrorEntry(i) ? 502 : 200} ${i} "-" "Mozilla/5.0 (X11, like Gecko)"`,
    ),
  },
  'the journal': {
    levels: { error: 10 },
    errors: 10,
    firstError: 30,
    text: everyLine(
      (i) =>
        `Mar 01 ${clock(i)} host app[${i}]: ${isErrorEntry(i) ? 'error: disk full, stopping' : 'fine, going on'}`,
    ),
  },
  'Java with stack traces': {
    levels: { info: 290, error: 10 },
    errors: 10,
    firstError: 30,
    text: everyLine((i) =>
      isErrorEntry(i)
        ? [`2026-03-01 ${clock(i)},123 ERROR [main] c.s.App - it broke, again`, ...TRACE].join('\n')
        : `2026-03-01 ${clock(i)},123 INFO [main] c.s.App - step ${i}, fine`,
    ),
  },
};
