import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../errors/fault.ts';
import { SELECTION_FORMS, selectionSchema } from './selection-schema.ts';

const OFFERED = ['git:merge#aaaaaaaa', 'mail:send@1.0'];

describe('selectionSchema', () => {
  it('accepts an offered id and nothing else', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 }),
        fc.string(),
        (offered, other) => {
          const check = new Ajv2020().compile(selectionSchema(offered));
          for (const selection of offered) expect(check({ selection })).toBe(true);
          expect(check({ selection: other })).toBe(offered.includes(other));
          expect(check({ selection: offered[0], why: 'x' })).toBe(false);
          expect(check({})).toBe(false);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('wraps the same schema in the format of each provider', () => {
    const schema = selectionSchema(OFFERED);
    expect(selectionSchema(OFFERED, 'openai')).toEqual({
      type: 'json_schema',
      json_schema: { name: 'select_tool', strict: true, schema },
    });
    expect(selectionSchema(OFFERED, 'anthropic')).toMatchObject({
      name: 'select_tool',
      input_schema: schema,
    });
  });

  it.each(SELECTION_FORMS)('refuses an empty list of ids in format %s', (form) => {
    expect(() => selectionSchema([], form)).toThrow(Fault);
  });

  it('lists a repeated id once, because enum values must be unique', () => {
    expect(selectionSchema(['a', 'a'])).toMatchObject({ properties: { selection: { enum: ['a'] } } });
  });
});
