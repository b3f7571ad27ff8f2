import { describe, expect, it } from 'vitest';
import { InputError } from './input-error.ts';
import { readOptions } from './options.ts';

describe('the command line', () => {
  it('compares the contestants on all queries unless told otherwise', () => {
    expect(readOptions([])).toMatchObject({ task: 'compare', half: undefined, json: false });
    expect(readOptions(['--growth', '--half', 'train'])).toMatchObject({ task: 'growth', half: 'train' });
    expect(readOptions(['--catalog', 'a', '--queries', 'b'])!.pair).toEqual({ catalog: 'a', queries: 'b' });
    expect(readOptions(['--help'])).toBeUndefined();
  });

  it('writes the docs from the half that nothing was chosen on', () => {
    expect(readOptions(['--data', 'd', '--write'])!.half).toBe('dev');
  });

  it.each([
    [['--catalog', 'x.jsonl'], '--catalog and --queries belong together'],
    [['--data', 'd', '--catalog', 'c', '--queries', 'q'], 'not both'],
    [['--half', 'left'], '--half left: there are train and dev'],
    [['--growth', '--ablation'], '--ablation and --growth: one at a time'],
    [['--fusion'], '--fusion needs --encoder'],
    [['--write', '--json'], '--write prints no JSON'],
    [['--dev'], "Unknown option '--dev'"],
    [['folder'], "Unexpected argument 'folder'"],
  ])('cannot mean %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(InputError);
    expect(() => readOptions(args)).toThrow(message);
  });
});
