import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, send } from '../../../test/recording-deps.ts';

const TOOLS = [ECHO, { ...ECHO, version: '2.0.0' }, { ...ECHO, name: 'Whisper' }];

async function called(tool: string, visibility: 'external' | 'internal' = 'external'): Promise<unknown> {
  const { deps, receipts } = recordingDeps({ tools: TOOLS, visibility });
  const outcome = await send(deps, { args: { message: 'hi' }, tool });
  expect(receipts).toHaveLength(1);
  return outcome.status === 'failed'
    ? { code: outcome.error.code, details: outcome.error.details }
    : receipts[0]!.toolId;
}

describe('the tool of a call', () => {
  it.each([
    ['shop:echo@1.0.0', 'shop:echo@1.0.0'],
    ['SHOP:ECHO@2.0.0', 'shop:echo@2.0.0'],
    ['shop:whis', 'shop:Whisper@1.0.0'],
    ['/shop/echo', 'shop:echo@2.0.0'],
  ])('%s is %s', async (tool, id) => {
    expect(await called(tool)).toBe(id);
  });

  it('is asked for again where it could be several', async () => {
    expect(await called('shop:echo')).toEqual({
      code: 'TOOL_NOT_FOUND',
      details: { candidates: ['shop:echo@1.0.0', 'shop:echo@2.0.0'] },
    });
  });

  it.each(['shop:whis', 'shop:echo', 'shop:echo@1.0.0', 'nothing'])(
    'is not guessed among those that the caller may not see: %s',
    async (tool) => {
      expect(await called(tool, 'internal')).toEqual({ code: 'TOOL_NOT_FOUND', details: undefined });
    },
  );

  it('is not another one when its shape has changed', async () => {
    expect(await called('shop:echo@1.0.0#aaaaaaaa')).toEqual({ code: 'TOOL_NOT_FOUND', details: undefined });
  });
});
