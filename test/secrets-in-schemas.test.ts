import { expect, it } from 'vitest';
import { createCaller } from '../src/contract/call/caller.ts';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { openedGateway } from './gateway.ts';

const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;

const CONFIGURE: NativeTool = {
  name: 'configure',
  version: '1.0.0',
  description: `Configures the shop, by default with ${SECRET}.`,
  inputSchema: {
    type: 'object',
    properties: {
      key: { type: 'string', default: SECRET, description: `The key, such as ${SECRET}`, examples: [SECRET] },
      which: { enum: [SECRET, 'none'] },
      times: { type: 'integer' },
    },
  },
  run: ({ which, key }) => ({ isDefault: which === SECRET, key: String(key) }),
};

it('redacts secrets of a tool definition in every output, and still validates against them', async () => {
  const { gateway, call } = await openedGateway({}, { native: { shop: [CONFIGURE] } });
  const { api, localUser } = gateway;
  const outputs = {
    query: await api.browse(createCaller(localUser), { query: 'configure the shop' }),
    path: await api.browse(createCaller(localUser), { path: '/shop/configure' }),
    dryRun: await call('/shop/configure', {}, { dryRun: true }),
    schema: await call('/shop/configure', undefined, { dryRun: true, args: undefined }),
    invalid: await call('/shop/configure', { which: 'other', times: 'x', kay: 1 }),
  };
  for (const [name, output] of Object.entries(outputs)) {
    expect(JSON.stringify(output), name).toContain('configure');
    expect(JSON.stringify(output), name).not.toContain(SECRET);
  }
  expect(await call('/shop/configure', { which: SECRET })).toMatchObject({
    status: 'ok',
    view: { structured: { isDefault: true, key: 'undefined' } },
  });
});
