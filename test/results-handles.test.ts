/** Artifacts are separated by owner, and a handle always names the same bytes. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countTokens } from '../src/app/wiring/tokenizer.ts';
import { LOCAL_USER, ownerOf } from '../src/contract/call/principal.ts';
import type { ContentPart } from '../src/contract/call/tool-result.ts';
import type { GatewayApi } from '../src/contract/gateway-api.ts';
import { callMetaTool } from '../src/ingress/mcp/gateway/meta-tools.ts';
import { makeRuleSet } from '../src/redaction/rule-set.ts';
import { makeArtifact } from '../src/results/artifacts/artifact.ts';
import { applyFirewall } from '../src/results/firewall.ts';
import { SELECTORS, viewArtifact } from '../src/results/view.ts';
import { openSqliteStores } from '../src/stores/sqlite/open.ts';
import { folderWith } from './folder.ts';
import { memoryArtifacts } from './memory-artifacts.ts';
import { createMetaToolContext } from './results/meta-tool-context.ts';

const SECRETS = makeRuleSet();

const PARAMETERS: Readonly<Record<string, object>> = {
  grep: { pattern: 'a' },
  jsonpath: { path: '$' },
};
const EVERY_SELECTOR: readonly unknown[] = [
  undefined,
  ...Object.keys(SELECTORS).map((name) => ({ [name]: PARAMETERS[name] ?? {} })),
  { lines: { start: 1e9 } },
  { rows: { columns: ['nowhere'] } },
  { jsonpath: { path: '$[' } },
  { grep: { pattern: '(' } },
  { bytes: { start: -1 } },
  'sideways',
];

describe("another principal's handle", () => {
  const artifacts = memoryArtifacts();
  const options = { ttlMs: 1_000, quotaBytes: 1e9 };
  const UNKNOWN = `art_${'0'.repeat(24)}`;
  const mine = { ...LOCAL_USER, id: 'ann' };
  const theirs = { ...LOCAL_USER, id: 'ben' };
  const api = {
    view: ({ principal }, { handle, selector }) =>
      viewArtifact(artifacts, { owner: ownerOf(principal), handle, selector, secrets: SECRETS, countTokens }),
  } as Pick<GatewayApi, 'view'> as GatewayApi;
  const context = createMetaToolContext(mine);
  const answer = async (handle: string, selector: unknown): Promise<string> =>
    JSON.stringify(await callMetaTool(api, { name: 'tool_view', args: { handle, selector } }, context));

  it.each(['text/plain', 'application/json', 'text/csv', 'image/png'])(
    'gets the same answer as an unknown handle: %s',
    async (mediaType) => {
      const artifact = makeArtifact(mediaType, Buffer.from('[{"a":1}]'));
      await artifacts.put(ownerOf(theirs), artifact, options);
      for (const selector of EVERY_SELECTOR) {
        const foreign = await answer(artifact.handle, selector);
        expect(foreign).toBe(await answer(UNKNOWN, selector));
        expect(foreign).toContain('VIEW_FAILED');
        expect(foreign).not.toContain(artifact.handle);
      }
    },
  );

  it('gets the same answer as an unknown handle if only the tenant differs', async () => {
    const artifact = makeArtifact('text/plain', Buffer.from('a secret'));
    await artifacts.put(ownerOf({ ...mine, tenant: 'x' }), artifact, options);
    expect(await answer(artifact.handle, undefined)).toBe(await answer(UNKNOWN, undefined));
  });

  it('can be viewed by every owner of the same bytes', async () => {
    const artifact = makeArtifact('text/plain', Buffer.from('known to both'));
    await artifacts.put(ownerOf(theirs), artifact, options);
    await artifacts.put(ownerOf(mine), artifact, options);
    expect(await answer(artifact.handle, undefined)).toContain('known to both');
  });
});

describe('a handle', () => {
  it('can be viewed right after the answer that names it, whatever the quota and earlier artifacts', async () => {
    const stores = await openSqliteStores({ file: join(folderWith(), 'handles.sqlite') });
    onTestFinished(() => stores.close());
    const part = fc.record({
      letter: fc.constantFrom('a', 'b', 'c', 'd'),
      size: fc.integer({ min: 0, max: 60 }),
    });
    const answers = fc.array(fc.array(part, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 });
    let owners = 0;
    await fc.assert(
      fc.asyncProperty(answers, fc.integer({ min: 1, max: 800 }), async (results, artifactQuotaBytes) => {
        const owner = `owner ${owners++}`;
        const firewall = {
          artifacts: stores.artifacts,
          countTokens,
          thresholdTokens: 10,
          artifactTtlMs: 60_000,
          artifactQuotaBytes,
          secrets: SECRETS,
        };
        for (const parts of results) {
          const content = parts.map(({ letter, size }) => ({
            type: 'text' as const,
            text: letter.repeat(size),
          }));
          const { view, storeError } = await applyFirewall(firewall, owner, { content, isError: false });
          expect(view.kind === 'summary' && storeError !== undefined).toBe(false);
          for (const { handle } of view.kind === 'summary' ? view.artifacts : []) {
            const viewed = viewArtifact(stores.artifacts, {
              owner,
              handle,
              selector: 'bytes',
              secrets: SECRETS,
              countTokens,
            });
            await expect(viewed).resolves.toMatchObject({ kind: 'text' });
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('never changes its bytes, whatever is stored and viewed later', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a,b\n1,2\n3,4', '[{"a":1},{"a":2}]', 'one\ntwo', '', '\ud800 torn'),
    );
    const part = fc.oneof(
      text.map((body): ContentPart => ({ type: 'text', text: body })),
      fc.uint8Array({ maxLength: 50 }).map(
        (bytes): ContentPart => ({
          type: 'resource',
          resource: { uri: 'x:y', blob: Buffer.from(bytes).toString('base64'), mimeType: 'application/json' },
        }),
      ),
    );
    const step = fc.record({
      owner: fc.constantFrom('ann', 'ben'),
      content: fc.array(part, { minLength: 1, maxLength: 3 }),
      selector: fc.constantFrom(...EVERY_SELECTOR),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const artifacts = memoryArtifacts();
        const firewall = {
          artifacts,
          countTokens,
          thresholdTokens: 0,
          artifactTtlMs: 1,
          artifactQuotaBytes: 1e9,
          secrets: SECRETS,
        };
        const seen = new Map<string, string>();
        for (const { owner, content, selector } of steps) {
          const { view } = await applyFirewall(firewall, owner, { content, isError: false });
          const refs = view.kind === 'summary' ? view.artifacts : [];
          for (const { handle } of refs) {
            const request = { owner, handle, selector, secrets: SECRETS, countTokens };
            const first = await viewArtifact(artifacts, request).catch((fault: unknown) => String(fault));
            const again = await viewArtifact(artifacts, request).catch((fault: unknown) => String(fault));
            expect(again).toEqual(first);
          }
          for (const { handle, bytes } of artifacts.stored.values()) {
            const digest = createHash('sha256').update(bytes).digest('hex');
            expect(handle).toBe(`art_${digest.slice(0, 24)}`);
            expect(seen.get(handle) ?? digest).toBe(digest);
            seen.set(handle, digest);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
