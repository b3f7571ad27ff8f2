import { expect, it } from 'vitest';
import type { ToolResult } from '../../src/contract/call/tool-result.ts';
import { Fault } from '../../src/contract/errors/fault.ts';
import { viewArtifact } from '../../src/results/view.ts';
import { ECHO, recordingDeps, send } from '../recording-deps.ts';

// Put together here, so that no scanner takes this file for a leak.
const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
const SPLIT = `${SECRET.slice(0, 10)}\u200b${SECRET.slice(10)}`;

const text = (said: string): ToolResult => ({ content: [{ type: 'text', text: said }], isError: false });

it.each<[string, ToolResult]>([
  ['text', text(`token: ${SECRET}`)],
  ['a text that hides it behind an invisible character', text(`token: ${SPLIT}`)],
  ['structure', { ...text('{}'), structured: { deep: [{ note: `use ${SECRET}` }] } }],
  ['an error that the tool reports', { ...text(`denied for ${SECRET}`), isError: true }],
  [
    'an embedded resource',
    { content: [{ type: 'resource', resource: { uri: 'file:///x', text: `k=${SECRET}` } }], isError: false },
  ],
  [
    'a link',
    { content: [{ type: 'resource_link', uri: `https://x/?t=${SECRET}`, name: 'x' }], isError: false },
  ],
])('a secret in %s does not reach the caller', async (_, result) => {
  const { deps, stored } = recordingDeps({ answer: async () => result, thresholdTokens: 1_000 });
  const outcome = await send(deps);
  expect(JSON.stringify(outcome)).toContain('[redacted:');
  expect(JSON.stringify(outcome)).not.toContain(SECRET);
  expect(stored).toEqual([]);
});

it('a secret in a long result is in no summary, no fact, no artifact and no view', async () => {
  const lines = Array.from({ length: 400 }, (_, i) => `2026-01-01 ERROR ${i} token=${SECRET}`).join('\n');
  const { deps, stored } = recordingDeps({
    answer: async () => text(lines),
    countTokens: (said) => said.length / 4,
  });
  const outcome = await send(deps);
  expect(outcome).toMatchObject({ status: 'ok', view: { kind: 'summary' } });
  expect(JSON.stringify(outcome)).not.toContain(SECRET);
  expect(stored).toHaveLength(1);
  expect(Buffer.from(stored[0]!.bytes).toString()).not.toContain(SECRET);
  const store = {
    put: async () => {},
    get: async () => ({ ...stored[0]!, bytes: Buffer.from(`x ${SECRET}`) }),
  };
  const view = await viewArtifact(store, {
    owner: 'me',
    handle: stored[0]!.handle,
    selector: 'head',
    secrets: deps.firewall.secrets,
    countTokens: deps.firewall.countTokens,
  });
  expect(JSON.stringify(view)).not.toContain(SECRET);
});

it('a secret that a schema tells of is not in an error', async () => {
  const inputSchema = { type: 'object', properties: { message: { const: `Bearer ${SECRET}` } } };
  const { deps } = recordingDeps({ tools: [{ ...ECHO, inputSchema }] });
  const outcome = await send(deps);
  expect(outcome).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  expect(JSON.stringify(outcome)).not.toContain(SECRET);
});

it('a secret in the message of a refusal is not in the answer', async () => {
  const refuses = async (): Promise<ToolResult> => {
    throw new Fault('PRECONDITION_FAILED', `not while ${SECRET} is in use`);
  };
  const { deps } = recordingDeps({ answer: refuses });
  expect(JSON.stringify(await send(deps))).not.toContain(SECRET);
});

it('what the output schema marks is gone from the structure and from the text that repeats it', async () => {
  const outputSchema = {
    type: 'object',
    properties: { name: { type: 'string', 'x-sensitivity': 'pii' }, plan: { type: 'string' } },
  };
  const structured = { name: 'Ada Lovelace', plan: 'basic' };
  const result = {
    content: [{ type: 'text' as const, text: JSON.stringify(structured) }],
    structured,
    isError: false,
  };
  const { deps } = recordingDeps({
    tools: [{ ...ECHO, outputSchema }],
    answer: async () => result,
    thresholdTokens: 1_000,
  });
  const told = JSON.stringify(await send(deps));
  expect(told).not.toContain('Ada');
  expect(told).toContain('basic');
  expect(told).toContain('[redacted:pii]');
});

it('a receipt keeps no secret that a caller put where a tool id belongs', async () => {
  const { deps, receipts } = recordingDeps();
  await send(deps, { tool: `x:${SECRET}` });
  expect(JSON.stringify(receipts)).not.toContain(SECRET);
});

it('a receipt is cut after it was redacted: no part of a secret is left at its end', async () => {
  const { deps, receipts } = recordingDeps();
  await send(deps, { tool: `${'x'.repeat(270)} ${SECRET}` });
  expect(receipts[0]!.requested).toBe(`${'x'.repeat(270)} [redacted:github-token]`);
});

it('a key that looks like a secret is one effect, and is told redacted', async () => {
  const { deps, calls, receipts } = recordingDeps();
  const keyed = (key: string) => send(deps, { idempotencyKey: key });
  const outcomes = [await keyed(SECRET), await keyed(SECRET), await keyed(`${SECRET.slice(0, -1)}x`)];
  expect(outcomes.map((outcome) => 'provenance' in outcome && outcome.provenance?.source)).toEqual([
    'compute',
    'replay',
    'compute',
  ]);
  expect(calls).toHaveLength(2);
  expect(receipts.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    Array.from({ length: 3 }, () => '[redacted:github-token]'),
  );
});

it('a secret in what comes with a picture, or in the address of bytes that could not be kept, is not told', async () => {
  const content: ToolResult['content'] = [
    { type: 'image', data: 'AAAA', mimeType: 'image/png', _meta: { from: SECRET } },
    {
      type: 'resource',
      resource: { uri: `https://x/?t=${SECRET}`, mimeType: 'application/pdf', blob: '/wD/' },
    },
  ];
  const { deps } = recordingDeps({
    answer: async () => ({ content, isError: false }),
    put: async () => {
      throw new Error('no room');
    },
  });
  const told = JSON.stringify(await send(deps));
  expect(told).toContain('/wD/');
  expect(told).not.toContain(SECRET);
});
