import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { allConfigKeys, configKeys } from './keys.ts';
import { configJsonSchema } from './schema.ts';

describe('configJsonSchema', () => {
  it('equals toolgate.schema.json, which editors fetch', () => {
    const file = readFileSync(new URL('../../../toolgate.schema.json', import.meta.url), 'utf8');
    expect(
      JSON.parse(file),
      'regenerate it: node bin/toolgate.js config schema > toolgate.schema.json',
    ).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });

  it('is a valid JSON Schema that refuses unknown keys', () => {
    const validate = new Ajv2020({ strict: true }).compile(configJsonSchema());
    expect(validate({})).toBe(true);
    expect(
      validate({ profile: 'team', upstreams: { a: { command: 'x' } }, mcpServers: { b: { x: 1 } } }),
    ).toBe(true);
    expect(validate({ profil: 'team' })).toBe(false);
    expect(validate({ server: { prot: 1 } })).toBe(false);
    expect(validate({ upstreams: { a: { comand: 'x' } } })).toBe(false);
  });

  it('describes every key and every section', () => {
    const undescribed: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { properties = {}, additionalProperties } = node as Record<string, object>;
      for (const [key, member] of Object.entries(properties)) {
        if (!('description' in member)) undescribed.push(`${path}${key}`);
        visit(member, `${path}${key}.`);
      }
      visit(additionalProperties, `${path}*.`);
    };
    visit(configJsonSchema(), '');
    expect(undescribed).toEqual([]);
  });
});

describe('configKeys', () => {
  it('returns the keys allowed at a path', () => {
    expect(configKeys()).toContain('profile');
    expect(configKeys(['log'])).toEqual(['level']);
    expect(configKeys(['upstreams', 'any name'])).toContain('command');
    expect(configKeys(['upstreams', 'any name', 'env'])).toEqual([]);
    expect(configKeys(['nowhere', 'at', 'all'])).toEqual([]);
    expect(allConfigKeys()).toContain('upstreams.*.startTimeoutMs');
  });
});
