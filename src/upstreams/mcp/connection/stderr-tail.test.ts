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
