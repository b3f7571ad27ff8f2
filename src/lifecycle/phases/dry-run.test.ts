import { describe, expect, it } from 'vitest';
import { callRequest, ECHO, recordingDeps } from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import { Quota } from '../../governance/quota.ts';
import type { CallDependencies } from '../dependencies.ts';
import { invoke } from '../invoke.ts';

const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;

function rehearsed(deps: CallDependencies, more: object = {}): Promise<Outcome> {
  return invoke(deps, callRequest({ dryRun: true, ...more }));
}

describe('a rehearsal', () => {
  it('tells what can be told of the impact, and who says so', async () => {
    const use = { tool: 'shop:echo@1.0.0', args: {} };
    const declared = {
      mutation: 'write_reversible',
      timeoutClass: 'standard',
      sideEffects: [{ resource: 'shelf', action: 'UPDATE', scope: 'one' }],
      cost: { perCall: 0.02 },
      verification: { integrity: [], compensate: use },
    } as const;
    const { deps } = recordingDeps({ tools: [{ ...ECHO, declared }] });
    expect(await rehearsed(deps)).toMatchObject({
      report: {
        predicted_side_effects: declared.sideEffects,
        estimated_impact: {
          effect: 'reversible',
          stated: true,
          checked_afterwards: true,
          undone_if_wrong: true,
        },
        estimated_cost: { perCall: 0.02 },
        timeout: { class: 'standard', max_ms: 5_000 },
      },
    });
  });

  it('tells what is left of the limits, and takes nothing of it', async () => {
    const { deps } = recordingDeps();
    const limited = {
      ...deps,
      quota: new Quota({ tool_execute: { perMinute: 3 }, 'shop:echo': { perSession: 2 } }),
    };
    await invoke(limited, callRequest());
    for (let i = 0; i < 3; i++)
      expect(await rehearsed(limited)).toMatchObject({
        report: {
          quota_left: [
            { scope: 'tool_execute', per_minute: 2 },
            { scope: 'shop:echo', per_session: 1 },
          ],
        },
      });
  });

  it('tells that a person would be asked', async () => {
    const asks = { name: 'asks', evaluate: () => ({ effect: 'ask', text: 'really?' }) as const };
    const { deps, calls } = recordingDeps({ rules: [asks] });
    expect(await rehearsed(deps)).toMatchObject({ status: 'dry_run', report: { approval: 'required' } });
    expect(calls).toEqual([]);
  });

  it('tells that the upstream is not there to be called', async () => {
    const { deps } = recordingDeps({ isConfigured: false });
    expect(await rehearsed(deps)).toMatchObject({
      report: {
        checks: expect.arrayContaining([{ name: 'upstream', status: 'fail', reason: 'not configured' }]),
      },
    });
  });

  it('shows the schema without the secrets in it, and otherwise as it is', async () => {
    const schemaWith = (text: string) => ({
      type: 'object',
      properties: {
        password: { type: 'string', description: 'The password: at least 8 characters', minLength: 8 },
        key: { enum: ['none', text] },
      },
      required: ['password'],
    });
    const { deps } = recordingDeps({ tools: [{ ...ECHO, inputSchema: schemaWith(SECRET) }] });
    const outcome = await rehearsed(deps, { args: undefined });
    expect(outcome).toMatchObject({
      report: { input_schema: schemaWith(expect.stringContaining('redacted')) },
    });
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
  });
});

describe('a limit on calls a minute', () => {
  it('holds for a caller that gives every call a session of its own', async () => {
    const { deps } = recordingDeps();
    const limited = { ...deps, quota: new Quota({ tool_execute: { perMinute: 1 } }) };
    const statuses: string[] = [];
    for (const sessionId of ['a', 'b', 'c'])
      statuses.push((await invoke(limited, callRequest({ sessionId }))).status);
    expect(statuses).toEqual(['ok', 'failed', 'failed']);
  });
});
