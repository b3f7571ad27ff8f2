import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileWith, folderWith } from '../../../test/folder.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load.ts';
import { planImport } from './plan.ts';
import { writeImport } from './write.ts';

const SERVERS = {
  one: { command: 'npx', args: ['-y', 'x'], env: { TOKEN: 's3cr3t' } },
  two: { type: 'http', url: 'https://two.example/mcp', headers: { A: 'b: c # d' } },
};

function importInto(target: string, servers: Readonly<Record<string, object>> = SERVERS): string | undefined {
  const files = [{ client: 'A', file: '/a', servers: servers as never, problem: undefined }];
  return writeImport(planImport(files, target)).backup;
}

function namespaces(file: string): string[] {
  return loadConfig({ file }).upstreams.map(({ namespace }) => namespace);
}

function mode(file: string): number {
  return statSync(file).mode & 0o777;
}

describe.each(['toolgate.yaml', 'toolgate.yml', 'toolgate.json', 'toolgate.jsonc'])(
  'writeImport into %s',
  (name) => {
    it('creates a config that only its owner can read', () => {
      const target = join(folderWith(), name);
      expect(importInto(target)).toBeUndefined();
      expect(namespaces(target)).toEqual(['one', 'two']);
      expect(loadConfig({ file: target }).upstreams[1]!.settings).toMatchObject({
        url: 'https://two.example/mcp',
        headers: { A: 'b: c # d' },
      });
      expect(mode(target)).toBe(0o600);
      expect(readdirSync(dirname(target))).toEqual([name]);
    });

    it('adds to an existing config, keeps its comments, and writes a backup', () => {
      const text = name.includes('y')
        ? '# mine\nprofile: team # why\nmcpServers:\n  zero: { command: z } # keep\n'
        : '{\n  // mine\n  "profile": "team",\n  "mcpServers": { "zero": { "command": "z" } } // keep\n}\n';
      const target = fileWith(name, text);
      chmodSync(target, 0o644);
      const backup = importInto(target);
      expect(namespaces(target)).toEqual(['zero', 'one', 'two']);
      expect(loadConfig({ file: target }).settings.profile).toBe('team');
      for (const comment of ['mine', 'keep']) expect(readFileSync(target, 'utf8')).toContain(comment);
      expect(readFileSync(backup!, 'utf8')).toBe(text);
      expect(backup).toMatch(/\.bak$/);
      expect([mode(target), mode(backup!)]).toEqual([0o600, 0o600]);
      expect(readdirSync(dirname(target))).toHaveLength(2);
    });

    it('adds nothing the second time', () => {
      const target = join(folderWith(), name);
      importInto(target);
      const before = readFileSync(target, 'utf8');
      importInto(target);
      expect(readFileSync(target, 'utf8')).toBe(before);
    });

    it('accepts an empty file', () => {
      const target = fileWith(name, '');
      importInto(target);
      expect(namespaces(target)).toEqual(['one', 'two']);
    });

    it('does not overwrite a config that became invalid after planning', () => {
      const target = fileWith(name, '');
      const files = [{ client: 'A', file: '/a', servers: SERVERS, problem: undefined }];
      const plan = planImport(files, target);
      writeFileSync(target, '{ "a": [ ');
      expect(() => writeImport(plan)).toThrow(ConfigError);
      expect(readFileSync(target, 'utf8')).toBe('{ "a": [ ');
      expect(readdirSync(dirname(target))).toEqual([name]);
    });
  },
);

describe('writeImport', () => {
  it('fills an empty mcpServers key', () => {
    const target = fileWith('toolgate.yaml', 'profile: team\nmcpServers:\n');
    importInto(target);
    expect(namespaces(target)).toEqual(['one', 'two']);
  });

  it('keeps the comments of a file that has nothing else', () => {
    const target = fileWith('toolgate.yaml', '# mine\n# all of it\n');
    importInto(target);
    expect(readFileSync(target, 'utf8')).toMatch(/^# mine\n# all of it\n/);
    expect(namespaces(target)).toEqual(['one', 'two']);
  });

  it('writes through a symbolic link', () => {
    const real = fileWith('real.yaml', 'profile: team\n');
    const link = join(folderWith(), 'toolgate.yaml');
    symlinkSync(real, link);
    importInto(link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(namespaces(real)).toEqual(['one', 'two']);
  });

  it('keeps a file with a byte order mark readable', () => {
    const target = fileWith('toolgate.json', '\ufeff{ "profile": "team" }');
    importInto(target);
    expect(loadConfig({ file: target }).settings.profile).toBe('team');
    expect(namespaces(target)).toEqual(['one', 'two']);
  });

  it('quotes names that have a meaning in YAML', () => {
    const target = join(folderWith(), 'toolgate.yaml');
    importInto(target, { '7': { command: 'a' }, 'a.b/c': { command: 'b' }, null: { command: 'c' } });
    expect(namespaces(target).toSorted()).toEqual(['a-b-c', 'n7', 'null']);
  });
});
