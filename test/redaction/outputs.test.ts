import { expect, it } from 'vitest';
import type { ToolResult } from '../../src/contract/call/tool-result.ts';
import { Fault } from '../../src/contract/errors/fault.ts';
import { viewArtifact } from '../../src/results/view.ts';
import { ECHO, recordingDeps, send } from '../recording-deps.ts';

// Joined from parts, so that secret scanners do not report this file.
const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
const SPLIT = `${SECRET.slice(0, 10)}\u200b${SECRET.slice(10)}`;

const text = (value: string): ToolResult => ({ content: [{ type: 'text', text: value }], isError: false });

it.each<[string, ToolResult]>([
  ['text', text(`token: ${SECRET}`)],
  ['text with an invisible character in it', text(`token: ${SPLIT}`)],
  ['structured content', { ...text('{}'), structured: { deep: [{ note: `use ${SECRET}` }] } }],
  ['a tool error', { ...text(`denied for ${SECRET}`), isError: true }],
  [
    'an embedded resource',
    { content: [{ type: 'resource', resource: { uri: 'file:///x', text: `k=${SECRET}` } }], isError: false },
  ],
  [
    'a resource link',
    { content: [{ type: 'resource_link', uri: `https://x/?t=${SECRET}`, name: 'x' }], isError: false },
  ],
])('redacts a secret in %s', async (_, result) => {
  const { deps, stored } = recordingDeps({ answer: async () => result, thresholdTokens: 1_000 });
  const outcome = await send(deps);
  expect(JSON.stringify(outcome)).toContain('[redacted:');
  expect(JSON.stringify(outcome)).not.toContain(SECRET);
  expect(stored).toEqual([]);
});

it('redacts a secret of a long result in the summary, facts, artifact and views', async () => {
  const lines = Array.from({ length: 400 }, (_, i) => `2026-01-01 ERROR ${i} token=${SECRET}`).join('\n');
  const { deps, stored } = recordingDeps({
    answer: async () => text(lines),
    countTokens: (value) => value.length / 4,
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

it('redacts a secret of an input schema in an argument error', async () => {
  const inputSchema = { type: 'object', properties: { message: { const: `Bearer ${SECRET}` } } };
  const { deps } = recordingDeps({ tools: [{ ...ECHO, inputSchema }] });
  const outcome = await send(deps);
  expect(outcome).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  expect(JSON.stringify(outcome)).not.toContain(SECRET);
});

it('redacts a secret in the message of a fault', async () => {
  const fail = async (): Promise<ToolResult> => {
    throw new Fault('PRECONDITION_FAILED', `not while ${SECRET} is in use`);
  };
  const { deps } = recordingDeps({ answer: fail });
  expect(JSON.stringify(await send(deps))).not.toContain(SECRET);
});

it('redacts marked values in structured content and in the text that repeats it', async () => {
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
  const outcome = JSON.stringify(await send(deps));
  expect(outcome).not.toContain('Ada');
  expect(outcome).toContain('basic');
  expect(outcome).toContain('[redacted:pii]');
});

it('redacts a secret in place of a tool id in the receipt', async () => {
  const { deps, receipts } = recordingDeps();
  await send(deps, { tool: `x:${SECRET}` });
  expect(JSON.stringify(receipts)).not.toContain(SECRET);
});

it('redacts before it truncates the tool id in a receipt', async () => {
  const { deps, receipts } = recordingDeps();
  await send(deps, { tool: `${'x'.repeat(270)} ${SECRET}` });
  expect(receipts[0]!.requested).toBe(`${'x'.repeat(270)} [redacted:github-token]`);
});

it('redacts an idempotency key in the receipt, but claims the key itself', async () => {
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

it('redacts the metadata of an image and the URI of a resource that could not be stored', async () => {
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
      throw new Error('quota exceeded');
    },
  });
  const outcome = JSON.stringify(await send(deps));
  expect(outcome).toContain('/wD/');
  expect(outcome).not.toContain(SECRET);
});
