import { describe, expect, it } from 'vitest';
import { InputError } from './input-error.ts';
import { readOptions } from './options.ts';

describe('readOptions', () => {
  it('compares the contestants on all queries by default', () => {
    expect(readOptions([])).toMatchObject({ task: 'compare', half: undefined, json: false });
    expect(readOptions(['--growth', '--half', 'train'])).toMatchObject({ task: 'growth', half: 'train' });
    expect(readOptions(['--catalog', 'a', '--queries', 'b'])!.pair).toEqual({ catalog: 'a', queries: 'b' });
    expect(readOptions(['--help'])).toBeUndefined();
  });

  it('writes the docs from the dev half by default', () => {
    expect(readOptions(['--data', 'd', '--write'])!.half).toBe('dev');
  });

  it.each([
    [['--catalog', 'x.jsonl'], '--catalog and --queries must be given together'],
    [['--data', 'd', '--catalog', 'c', '--queries', 'q'], 'not both'],
    [['--half', 'left'], '--half left: must be train or dev'],
    [['--growth', '--ablation'], '--ablation and --growth: give only one of them'],
    [['--fusion'], '--fusion needs --encoder'],
    [['--write', '--json'], '--write and --json cannot be combined'],
    [['--dev'], "Unknown option '--dev'"],
    [['folder'], "Unexpected argument 'folder'"],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(InputError);
    expect(() => readOptions(args)).toThrow(message);
  });
});
