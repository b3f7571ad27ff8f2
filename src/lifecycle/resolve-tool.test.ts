import { describe, expect, it } from 'vitest';
import { callRequest, ECHO, ECHO_ID, recordingDeps } from '../../test/recording-deps.ts';
import type { CallOrigin } from './call-record.ts';
import { resolveTool } from './resolve-tool.ts';

function resolve(origin: CallOrigin, options: Parameters<typeof recordingDeps>[0]): string {
  const { deps } = recordingDeps(options);
  const record = { origin, request: callRequest(), facts: {} };
  return resolveTool(deps, deps.catalog.snapshot, { record }).id;
}

describe('resolveTool', () => {
  it.each<CallOrigin>(['step', 'check'])('lets a %s of the gateway use an internal tool', (origin) => {
    expect(resolve(origin, { visibility: 'internal' })).toBe(ECHO_ID);
  });

  it('hides an internal tool from a caller', () => {
    expect(() => resolve('caller', { visibility: 'internal' })).toThrow('No such tool');
  });

  it.each([
    ['shop:echo', ECHO_ID],
    ['/shop/echo', ECHO_ID],
    ['shop:echo_a', 'shop:echo_all@1.0.0'],
  ])('resolves %s beside a tool whose name begins alike', (tool, id) => {
    const { deps } = recordingDeps({ tools: [ECHO, { ...ECHO, name: 'echo_all' }] });
    const record = { origin: 'caller', request: callRequest({ tool }), facts: {} } as const;
    expect(resolveTool(deps, deps.catalog.snapshot, { record }).id).toBe(id);
  });

  it.each<CallOrigin>(['caller', 'step', 'check'])(
    'hides a tool that a rule denies from every origin (%s)',
    (origin) => {
      const deny = { name: 'deny', evaluate: () => ({ effect: 'deny', text: 'no' }) as const };
      expect(() => resolve(origin, { rules: [deny] })).toThrow('No such tool');
    },
  );
});
