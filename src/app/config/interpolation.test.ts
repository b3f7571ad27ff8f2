// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in config files look like template placeholders
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../../test/folder.ts';
import { hasReference, resolveDeep, resolveReferences, UnresolvedReference } from './interpolation.ts';

const env = { TOKEN: 's3cr3t', EMPTY: '', 'ProgramFiles(x86)': 'C:\\x86', NESTED: '${TOKEN}' };
const scope = { env, folder: '/projects/engine' };

describe('resolveReferences', () => {
  it.each([
    ['${env:TOKEN}', 's3cr3t'],
    ['${TOKEN}', 's3cr3t'],
    ['Bearer ${env:TOKEN}!', 'Bearer s3cr3t!'],
    ['${TOKEN}${TOKEN}', 's3cr3ts3cr3t'],
    ['${env:ProgramFiles(x86)}', 'C:\\x86'],
    ['${MISSING:-fallback}', 'fallback'],
    ['${MISSING:-}', ''],
    ['${TOKEN:-fallback}', 's3cr3t'],
    ['${env:MISSING:-https://x.example/y}', 'https://x.example/y'],
    ['${EMPTY}', ''],
    ['${userHome}/x', `${homedir()}/x`],
    ['${workspaceFolder}/x', '/projects/engine/x'],
    // References in the value of a variable are not resolved again.
    ['${NESTED}', '${TOKEN}'],
    // Not references, so they stay unchanged.
    ['$TOKEN', '$TOKEN'],
    ['${}', '${}'],
    ['${1}', '${1}'],
    ['${a.b}', '${a.b}'],
    ['${{ TOKEN }}', '${{ TOKEN }}'],
    ['$${TOKEN', '$${TOKEN'],
  ])('resolves %s', (text, expected) => {
    expect(resolveReferences(text, scope)).toBe(expected);
  });

  it.each([
    ['${env:MISSING}', '${env:MISSING}: the environment variable is not set'],
    ['x ${MISSING} y', '${MISSING}: the environment variable is not set'],
    ['${constructor}', '${constructor}: the environment variable is not set'],
    ['${file:missing.txt}', '${file:missing.txt}: the file cannot be read'],
    ['${input:key}', '${input:key}: inputs cannot be prompted for; use ${env:NAME} instead'],
  ])('reports an unresolved reference without showing any value: %s', (text, message) => {
    expect(() => resolveReferences(`${text} \${TOKEN}`, scope)).toThrow(UnresolvedReference);
    expect(() => resolveReferences(text, scope)).toThrow(message);
  });

  it('reads a file relative to the config folder, without the final line end', () => {
    const folder = folderWith({ 'secrets/token': 'from file\n', 'two-lines': 'a\nb\n' });
    expect(resolveReferences('${file:secrets/token}', { env, folder })).toBe('from file');
    expect(resolveReferences('${file:two-lines}', { env, folder })).toBe('a\nb');
    expect(resolveReferences(`\${file:${join(folder, 'two-lines')}}`, { env, folder: '/' })).toBe('a\nb');
    expect(resolveReferences('${file:none:-spare}', { env, folder })).toBe('spare');
    expect(() => resolveReferences('${file:secrets}', { env, folder })).toThrow('cannot be read');
  });

  it.each(['.vscode', '.cursor'])('takes the parent folder of %s as the workspace', (editor) => {
    expect(resolveReferences('${workspaceFolder}', { env, folder: `/p/${editor}` })).toBe('/p');
  });

  it('resolves references in nested values and changes nothing else', () => {
    const value = {
      list: ['${TOKEN}', 1, null, true, { deep: 'x${TOKEN}' }],
      '${TOKEN}': 'a key is not resolved',
    };
    expect(resolveDeep(value, scope)).toEqual({
      list: ['s3cr3t', 1, null, true, { deep: 'xs3cr3t' }],
      '${TOKEN}': 'a key is not resolved',
    });
    expect(value.list[0]).toBe('${TOKEN}');
  });

  it('does not change a text without references', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', ':', '-', 'A', 'env:', ' ') }), (text) => {
        fc.pre(!hasReference(text));
        expect(resolveReferences(text, scope)).toBe(text);
      }),
    );
  });
});
