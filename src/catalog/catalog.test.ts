import { describe, expect, it } from 'vitest';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import { CatalogError } from '../contract/tool/tool-id.ts';
import { type Admission, admit } from './admit.ts';
import { Catalog } from './catalog.ts';
import { DEFAULT_SCHEMA_LIMITS } from './schema/budget.ts';

function admission(namespace: string, ...tools: Partial<ToolDescriptor>[]): Admission {
  const descriptors = tools.map((tool) => ({ name: 'tool', hints: {}, ...tool }));
  return admit(namespace, descriptors, {
    profile: 'personal',
    limits: DEFAULT_SCHEMA_LIMITS,
    onOversizedSchema: 'refuse',
    visibility: 'external',
  });
}

const names = (catalog: Catalog): string[] => catalog.snapshot.contracts.map(({ id }) => id);

describe('Catalog.replace', () => {
  it('replaces the tools of one upstream and leaves the others', () => {
    const catalog = new Catalog({ onInvalid: 'report' });
    catalog.replace(admission('a', { name: 'x', version: '1' }, { name: 'y', version: '1' }));
    catalog.replace(admission('b', { name: 'x', version: '1' }));
    catalog.replace(admission('a', { name: 'z', version: '1' }));
    expect(names(catalog)).toEqual(['a:z@1', 'b:x@1']);
    expect(catalog.snapshot.revision).toBe(3);
    expect(catalog.snapshot.reports.map(({ namespace }) => namespace)).toEqual(['a', 'b']);
  });

  it('replaces the snapshot in one step and never changes an earlier one', () => {
    const catalog = new Catalog({ onInvalid: 'report' });
    const first = catalog.replace(admission('a', { name: 'x', version: '1', description: 'old' }));
    const held = first.get('tool', 'a:x@1');
    catalog.replace(admission('a', { name: 'x', version: '1', description: 'new' }));
    expect(first).not.toBe(catalog.snapshot);
    expect(first.get('tool', 'a:x@1')).toBe(held);
    expect(first.contracts.map(({ description }) => description)).toEqual(['old']);
    expect(catalog.snapshot.get('tool', 'a:x@1')!.description).toBe('new');
  });

  it('removes a tool that is no longer offered', () => {
    const catalog = new Catalog({ onInvalid: 'report' });
    catalog.replace(admission('a', { name: 'x', version: '1' }));
    catalog.replace(admission('a'));
    expect(catalog.snapshot.get('tool', 'a:x@1')).toBeUndefined();
    expect(catalog.snapshot.resolve('tool', '/a/x')).toBeUndefined();
  });

  it('reports a refused tool and loads the others', () => {
    const catalog = new Catalog({ onInvalid: 'report' });
    const twice = admission('a', { name: 'x', version: '1' }, { name: 'x', version: '1' }, { name: 'y' });
    catalog.replace(twice);
    expect(catalog.snapshot.contracts).toHaveLength(2);
    expect(catalog.snapshot.reports[0]!.findings).toMatchObject([{ kind: 'refused', code: 'DUPLICATE' }]);
  });
});

describe('Catalog with onInvalid: fail', () => {
  it('fails a refresh with a refused tool, and keeps the old snapshot', () => {
    const catalog = new Catalog({ onInvalid: 'fail' });
    const before = catalog.replace(admission('a', { name: 'x', version: '1' }));
    const twice = admission('a', { name: 'y', version: '1' }, { name: 'y', version: '1' });
    expect(() => catalog.replace(twice)).toThrow(CatalogError);
    expect(() => catalog.replace(twice)).toThrow(
      /^Refresh of upstream a failed, because its tool y was refused: an earlier tool/,
    );
    expect(catalog.snapshot).toBe(before);
    expect(catalog.failureOf('a')).toMatchObject({
      reason: expect.stringMatching(/^its tool y was refused/),
    });
    catalog.replace(admission('a', { name: 'x', version: '1' }));
    expect(catalog.failureOf('a')).toBeUndefined();
  });

  it('accepts tools that are switched off', () => {
    const catalog = new Catalog({ onInvalid: 'fail' });
    catalog.replace(admission('a', { unsupported: 'it needs a task' }));
    expect(catalog.snapshot.reports[0]).toMatchObject({ offered: 1, registered: 0 });
  });

  it('accepts repaired and flagged tools', () => {
    const catalog = new Catalog({ onInvalid: 'fail' });
    catalog.replace(admission('a', { name: 'my tool', inputSchema: true }));
    expect(catalog.snapshot.reports[0]!.findings.map(({ kind }) => kind)).toEqual(['repaired', 'flagged']);
    expect(catalog.snapshot.contracts).toHaveLength(1);
  });
});
