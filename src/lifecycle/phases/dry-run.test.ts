import { describe, expect, it } from 'vitest';
import { ECHO, recordingDeps, send } from '../../../test/recording-deps.ts';
import type { Outcome } from '../../contract/call/outcome.ts';
import { Quota } from '../../governance/quota.ts';
import type { CallDependencies } from '../dependencies.ts';

const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;

function dryRun(deps: CallDependencies, more: object = {}): Promise<Outcome> {
  return send(deps, { dryRun: true, ...more });
}

describe('dryRunReport', () => {
  it('reports the predicted impact, and whether it is declared', async () => {
    const use = { tool: 'shop:echo@1.0.0', args: {} };
    const declared = {
      mutation: 'write_reversible',
      timeoutClass: 'standard',
      sideEffects: [{ resource: 'inventory', action: 'UPDATE', scope: 'one' }],
      cost: { perCall: 0.02 },
      verification: { integrity: [], compensate: use },
    } as const;
    const { deps } = recordingDeps({ tools: [{ ...ECHO, declared }] });
    expect(await dryRun(deps)).toMatchObject({
      report: {
        sideEffects: declared.sideEffects,
        impact: {
          effect: 'reversible',
          isDeclared: true,
          isVerifiedAfterwards: true,
          isCompensatedIfWrong: true,
        },
        cost: { perCall: 0.02 },
        timeoutClass: 'standard',
      },
    });
  });

  it('reports the remaining quota without consuming it', async () => {
    const { deps } = recordingDeps();
    const limited = {
      ...deps,
      quota: new Quota({ tool_execute: { perMinute: 3 }, 'shop:echo': { perSession: 2 } }),
    };
    await send(limited);
    for (let i = 0; i < 3; i++)
      expect(await dryRun(limited)).toMatchObject({
        report: {
          quotaRemaining: [
            { scope: 'tool_execute', perMinute: 2 },
            { scope: 'shop:echo', perSession: 1 },
          ],
        },
      });
  });

  it('reports that the call would need approval', async () => {
    const askRule = { name: 'asks', evaluate: () => ({ effect: 'ask', text: 'really?' }) as const };
    const { deps, calls } = recordingDeps({ rules: [askRule] });
    expect(await dryRun(deps)).toMatchObject({ status: 'dry_run', report: { needsApproval: true } });
    expect(calls).toEqual([]);
  });

  it('reports an upstream that is not configured', async () => {
    const { deps } = recordingDeps({ isConfigured: false });
    expect(await dryRun(deps)).toMatchObject({
      report: {
        checks: expect.arrayContaining([{ name: 'upstream', status: 'fail', reason: 'not configured' }]),
      },
    });
  });

  it('reports the whole description, sanitized and redacted, only where no arguments were sent', async () => {
    const start = `Charges. ${'Read this first. '.repeat(80)}`;
    const { deps } = recordingDeps({
      tools: [{ ...ECHO, description: `${start}\u202eKey ${SECRET}. NEVER call it twice.` }],
    });
    const { report } = (await dryRun(deps, { args: undefined })) as { report: { description: string } };
    expect(report.description).toMatch(/^Charges\. .*NEVER call it twice\.$/s);
    expect(report.description).not.toMatch(/\u202e/);
    expect(report.description).not.toContain(SECRET);
    expect(await dryRun(deps)).not.toHaveProperty('report.description');
  });

  it('reports the schema with its secrets redacted', async () => {
    const schemaWith = (text: string) => ({
      type: 'object',
      properties: {
        password: { type: 'string', description: 'The password: at least 8 characters', minLength: 8 },
        key: { enum: ['none', text] },
      },
      required: ['password'],
    });
    const { deps } = recordingDeps({ tools: [{ ...ECHO, inputSchema: schemaWith(SECRET) }] });
    const outcome = await dryRun(deps, { args: undefined });
    expect(outcome).toMatchObject({
      report: { inputSchema: schemaWith(expect.stringContaining('redacted')) },
    });
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
  });
});

describe('authorizeCall', () => {
  it('applies the limit per minute to a caller that sends a new session id with every call', async () => {
    const { deps } = recordingDeps();
    const limited = { ...deps, quota: new Quota({ tool_execute: { perMinute: 1 } }) };
    const statuses: string[] = [];
    for (const sessionId of ['a', 'b', 'c']) statuses.push((await send(limited, { sessionId })).status);
    expect(statuses).toEqual(['ok', 'failed', 'failed']);
  });
});
