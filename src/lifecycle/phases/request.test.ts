import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, send } from '../../../test/recording-deps.ts';

const TOOLS = [ECHO, { ...ECHO, version: '2.0.0' }, { ...ECHO, name: 'Whisper' }];

async function resolve(tool: string, visibility: 'external' | 'internal' = 'external'): Promise<unknown> {
  const { deps, receipts } = recordingDeps({ tools: TOOLS, visibility });
  const outcome = await send(deps, { args: { message: 'hi' }, tool });
  expect(receipts).toHaveLength(1);
  return outcome.status === 'failed'
    ? { code: outcome.error.code, details: outcome.error.details }
    : receipts[0]!.toolId;
}

describe('requestCall', () => {
  it.each([
    ['shop:echo@1.0.0', 'shop:echo@1.0.0'],
    ['SHOP:ECHO@2.0.0', 'shop:echo@2.0.0'],
    ['shop:whis', 'shop:Whisper@1.0.0'],
    ['/shop/echo', 'shop:echo@2.0.0'],
    ['shop:echo', 'shop:echo@2.0.0'],
  ])('resolves %s to %s', async (tool, id) => {
    expect(await resolve(tool)).toBe(id);
  });

  it('refuses an ambiguous name and lists the candidates', async () => {
    expect(await resolve('shop:ech')).toEqual({
      code: 'TOOL_NOT_FOUND',
      details: { candidates: ['shop:echo@1.0.0', 'shop:echo@2.0.0'] },
    });
  });

  it.each(['shop:whis', 'shop:echo', 'shop:echo@1.0.0', 'nothing'])(
    'answers for hidden tools as for tools that do not exist: %s',
    async (tool) => {
      expect(await resolve(tool, 'internal')).toEqual({ code: 'TOOL_NOT_FOUND', details: undefined });
    },
  );

  it('refuses an id whose schema hash does not match', async () => {
    expect(await resolve('shop:echo@1.0.0#aaaaaaaa')).toEqual({ code: 'TOOL_NOT_FOUND', details: undefined });
  });
});
