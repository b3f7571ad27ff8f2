import { describe, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import type { ToolDescriptor } from '../../contract/tool/descriptor.ts';
import { STRICT_ARGUMENTS } from '../../contract/tool/tool.ts';
import { NativeUpstream } from '../../upstreams/native/upstream.ts';
import { loadConfig, redactionRulesOf } from '../config/load.ts';
import { makeLogger } from '../logger.ts';
import { syncCatalog } from './catalog-sync.ts';

function open() {
  const config = loadConfig({ settings: {} });
  const catalog = new Catalog({ onInvalid: 'report' });
  const listener = syncCatalog(
    { upstream: new NativeUpstream('shop', []), expose: 'external', argumentRules: STRICT_ARGUMENTS },
    {
      catalog,
      settings: config.settings,
      log: makeLogger('silent'),
      secrets: redactionRulesOf(config),
      stateChanged: () => {},
    },
  );
  return { catalog, listener };
}

const list = (count: number, description = 'Sells.'): ToolDescriptor[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `tool_${i}`,
    description,
    inputSchema: { type: 'object', properties: { id: { type: 'string' }, amount: { type: 'number' } } },
    hints: {},
  }));

describe('a refresh of the catalog', () => {
  it('keeps the snapshot while the list is unchanged', async () => {
    const { catalog, listener } = open();
    await listener.toolsListed(list(3));
    const { snapshot } = catalog;
    expect(snapshot.contracts).toHaveLength(3);
    await listener.toolsListed(list(3));
    expect(catalog.snapshot).toBe(snapshot);
    await listener.toolsListed(list(3, 'Buys.'));
    expect(catalog.snapshot.contracts[0]).toMatchObject({ description: 'Buys.' });
    await listener.toolsListed(list(3));
    expect(catalog.snapshot.contracts[0]).toMatchObject({ description: 'Sells.' });
  });

  it('admits the other tools of a list with a schema that is nested too deep to be serialized', async () => {
    const { catalog, listener } = open();
    let inputSchema = {};
    for (let level = 0; level < 100_000; level++) inputSchema = { items: inputSchema };
    await listener.toolsListed([...list(2), { name: 'deep', inputSchema, hints: {} }]);
    expect(catalog.snapshot.contracts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['tool_0', 'tool_1']),
    );
  });

  it('admits a long list in turns of the event loop', async () => {
    const { catalog, listener } = open();
    let turns = 0;
    const count = (): void => {
      turns++;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    await listener.toolsListed(list(3_000));
    clearImmediate(turning);
    expect(catalog.snapshot.contracts).toHaveLength(3_000);
    expect(turns).toBeGreaterThan(3);
  });

  it('ends with the newest of two lists that arrive together', async () => {
    const { catalog, listener } = open();
    await Promise.all([listener.toolsListed(list(3_000)), listener.toolsListed(list(2))]);
    expect(catalog.snapshot.contracts).toHaveLength(2);
  });
});
