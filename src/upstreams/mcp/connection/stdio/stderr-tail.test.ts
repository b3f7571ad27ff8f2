import { describe, expect, it } from 'vitest';
import { stderrTail } from './stderr-tail.ts';

describe('stderrTail', () => {
  it('is the last line', () => {
    expect(stderrTail('reading\nno licence\n\n', {})).toBe('no licence');
    expect(stderrTail('', {})).toBe('');
  });

  it('is the line that explains the failure, not the stack below it', () => {
    const node = `file.js:3\n  throw x\n\nError: Cannot find module 'x'\n    at load (node:internal) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v24.21.0\n`;
    expect(stderrTail(node, {})).toBe("Error: Cannot find module 'x'");
    const python = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no key\n';
    expect(stderrTail(python, {})).toBe('ValueError: no key');
  });

  it.each([
    {
      title: 'npm',
      stderr:
        'npm warn Unknown user config "nodedir".\nnpm error code E404\nnpm error 404 Not Found - GET https://r.example/nope\nnpm error 404\nnpm error A complete log of this run can be found in: /home/me/.npm/_logs/1.log\n',
      expected: 'npm error 404 Not Found - GET https://r.example/nope',
    },
    {
      title: 'uvx',
      stderr: '  × No solution found when resolving tool dependencies:\n  ╰─▶ Because nope was not found\n',
      expected: '× No solution found when resolving tool dependencies:',
    },
    {
      title: 'docker',
      stderr:
        "docker: Error response from daemon: pull access denied for nope.\n\nRun 'docker run --help' for more information\n",
      expected: 'docker: Error response from daemon: pull access denied for nope.',
    },
    {
      title: 'a logger',
      stderr: '2026-01-01 INFO starting\n2026-01-01 ERROR no database\n2026-01-01 INFO bye\n',
      expected: '2026-01-01 ERROR no database',
    },
    {
      title: 'Node, below the source line',
      stderr: "a.js:1\nthrow new Error('x');\n^\n\nTypeError: x\n    at a.js:1\n\nNode.js v24.0.0\n",
      expected: 'TypeError: x',
    },
  ])('is the first line that is an error of $title', ({ stderr, expected }) => {
    expect(stderrTail(stderr, {})).toBe(expected);
  });

  it('hides a proxy, which may contain a password, and shows the path of a certificate', () => {
    const env = { HTTPS_PROXY: 'http://me:pw@proxy:8080', NODE_EXTRA_CA_CERTS: '/etc/ca.pem' };
    expect(stderrTail('Error: http://me:pw@proxy:8080 refused /etc/ca.pem', env)).toBe(
      'Error: (hidden) refused /etc/ca.pem',
    );
  });

  it('is the last line when no line explains the failure', () => {
    expect(stderrTail('  one\n  two\n', {})).toBe('two');
  });

  it('hides values of the environment, except those that every process inherits', () => {
    const env = { API_KEY: 'abcd-1234', HOME: '/home/someone', DEBUG: '1' };
    expect(stderrTail('key abcd-1234 in /home/someone refused 1 time', env)).toBe(
      'key (hidden) in /home/someone refused 1 time',
    );
  });

  it('has a limited length and no escape sequences', () => {
    expect(stderrTail(`\u001b[31mred\u001b[0m ${'x'.repeat(500)}`, {})).toMatch(/^red x+…$/);
    expect(stderrTail('y'.repeat(500), {})).toHaveLength(160);
  });
});
