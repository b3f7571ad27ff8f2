/** Embeds a gateway with one native tool, makes one call and checks the result. */
import assert from 'node:assert/strict';
import { createCaller, LOCAL_USER, loadConfig, makeLogger, openGateway } from 'toolgate';
import { worldTime } from '../demo/world-time.ts';

const config = loadConfig({ settings: { store: { sqlite: ':memory:' } } });
const gateway = await openGateway({ config, log: makeLogger('silent'), native: { clock: [worldTime] } });
await gateway.start();

const outcome = await gateway.api.invoke({
  caller: createCaller(LOCAL_USER),
  tool: '/clock/world_time',
  args: { zone: 'Europe/Paris' },
});
assert.equal(outcome.status, 'ok');
assert.equal(outcome.view.kind, 'whole');
console.log(outcome.view.structured);

await gateway.close();
