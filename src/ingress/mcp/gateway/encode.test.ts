import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, send } from '../../../../test/recording-deps.ts';
import { ResultCache } from '../../../lifecycle/upstream/result-cache.ts';
import { ENVELOPE_KEY, encodeOutcome } from './encode.ts';

describe('encodeOutcome', () => {
  const { deps } = recordingDeps({
    tools: [{ ...ECHO, declared: { mutation: 'read_only' } }],
    argumentRules: { unknown: 'refuse', tolerant: true, defaults: true },
    cache: new ResultCache({ ttlMs: 60_000, maxEntries: 9 }),
  });
  const provenanceOf = async (args: unknown): Promise<unknown> => {
    const { _meta } = encodeOutcome(await send(deps, { args }));
    return (_meta![ENVELOPE_KEY] as { provenance: unknown }).provenance;
  };

  it('§4.4: records every applied repair under provenance["arg_repairs"]', async () => {
    expect(await provenanceOf({ message: 'a', times: '2' })).toEqual({
      tool_id: 'shop:echo@1.0.0',
      version: '1.0.0',
      source: 'compute',
      executed_at: expect.any(String),
      arg_repairs: [{ path: '/times', rule: 'str_to_integer' }],
    });
  });

  it('§4.5: marks only a cache hit with provenance["cache_hit"]=true', async () => {
    expect(await provenanceOf({ message: 'b' })).not.toHaveProperty('cache_hit');
    expect(await provenanceOf({ message: 'b' })).toMatchObject({ source: 'cache', cache_hit: true });
  });
});
