/** The cost of the gateway in a model's context (cl100k tokens). */
import { expect, it, onTestFinished } from 'vitest';
import { countTokens } from '../src/app/wiring/tokenizer.ts';
import { openedGateway } from './gateway.ts';
import {
  CLIENTS,
  connectClient,
  type ServerAddress,
  type TestClient,
  type ToolAnswer,
} from './servers/clients.ts';
import { officialServer } from './servers/spawn.ts';

/** Counts content and structured content; models do not read `_meta`. */
function costOf({ content, structuredContent }: ToolAnswer): number {
  const text = content.map((part) => String(part.text ?? JSON.stringify(part))).join('\n');
  return countTokens(text) + (structuredContent ? countTokens(JSON.stringify(structuredContent)) : 0);
}

async function connect(name: (typeof CLIENTS)[number], address: ServerAddress): Promise<TestClient> {
  const client = await connectClient(name, address);
  onTestFinished(() => client.close());
  return client;
}

it.each(CLIENTS)('%s: a short result costs at most 25 tokens more than without the gateway', async (name) => {
  const everything = officialServer('everything', 'stdio');
  const direct = await connect('v1', { ...everything, env: { PATH: process.env.PATH ?? '' } });
  const { url } = await openedGateway({ everything });
  const through = await connect(name, { url: `${url}/mcp` });
  const args = { message: 'twenty-eight letters, mostly' };

  const bare = await direct.call('echo', args);
  expect(bare.content[0]?.text).toHaveLength(34);
  const answer = await through.call('tool_execute', { tool_id: '/everything/echo', args });
  expect(answer.content[0]?.text).toBe(bare.content[0]?.text);
  expect(costOf(answer) - costOf(bare)).toBeLessThanOrEqual(25);

  const place = { location: 'Chicago' };
  const structured = await direct.call('get-structured-content', place);
  const tool = { tool_id: '/everything/get-structured-content', args: place };
  expect(costOf(await through.call('tool_execute', tool)) - costOf(structured)).toBeLessThanOrEqual(25);
});

it.each(CLIENTS)(
  '%s: the three tools are always loaded, and their definitions cost at most 484 tokens',
  async (name) => {
    const { url } = await openedGateway({});
    const listed = await (await connect(name, { url: `${url}/mcp` })).list();
    expect(listed.map(({ _meta }) => _meta)).toEqual(Array(3).fill({ 'anthropic/alwaysLoad': true }));
    const read = listed.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
    }));
    expect(countTokens(JSON.stringify(read))).toBeLessThanOrEqual(484);
  },
);
