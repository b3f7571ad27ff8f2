/** Regressions of results end to end: from an upstream, through a running gateway, to the official client. */
import { expect, it, onTestFinished } from 'vitest';
import { countTokens } from '../src/app/wiring/tokenizer.ts';
import { openResultHarness, type ResultHarness, readHandles, readText } from './results/result-harness.ts';

async function openHarness(settings?: Parameters<typeof openResultHarness>[0]): Promise<ResultHarness> {
  const harness = await openResultHarness(settings);
  onTestFinished(harness.close);
  return harness;
}

const lines = (word: string): string =>
  Array.from({ length: 9_000 }, (_, i) => `${word} line ${i} ${'z'.repeat(60)}`).join('\n');

it('executes a keyed write once and returns its image with line breaks in base64', async () => {
  const harness = await openHarness({ tools: { 'shop:give': { mutation: 'write_reversible' } } });
  const result = {
    content: [
      { type: 'text', text: 'order 4711 was placed' },
      { type: 'image', data: 'QUJD\nREVG', mimeType: 'image/png' },
    ],
  };
  const expected = [result.content[0], { type: 'image', data: 'QUJDREVG', mimeType: 'image/png' }];
  for (const _ of ['first', 'again']) {
    const answer = await harness.execute(result, { idempotency_key: 'order-4711' });
    expect(answer.isError ?? false).toBe(false);
    expect(answer.content).toEqual(expected);
  }
  expect(harness.calls).toBe(1);
});

it('returns parts whole if together they exceed the quota, and names no evicted handle', async () => {
  const harness = await openHarness({ results: { artifactQuotaMegabytes: 1 } });
  const content = ['first', 'second'].map((word) => ({ type: 'text', text: lines(word) }));
  expect((await harness.execute({ content })).content).toEqual(content);
  const one = await harness.execute({ content: content.slice(0, 1) });
  const [handle] = readHandles(one);
  expect(readText(await harness.view(handle!, { lines: { end: 1 } }))).toContain('first line 0');
});

it('reads JSON lines as rows, with all digits of long ids', async () => {
  const harness = await openHarness();
  const text = Array.from(
    { length: 500 },
    (_, i) =>
      `{"id":12345678901234567${String(i).padStart(3, '0')},"city":"town ${i % 5}","note":"free text"}`,
  ).join('\n');
  const summary = await harness.execute({ content: [{ type: 'text', text }] });
  expect(readText(summary)).toContain('"town 0" ×100');
  const [handle] = readHandles(summary);
  expect(readText(await harness.view(handle!, { rows: { start: 7, end: 8, columns: ['id'] } }))).toContain(
    '\n["12345678901234567007"]\n',
  );
  const found = await harness.view(handle!, { jsonpath: { path: '$[?@.id == 12345678901234567007].city' } });
  expect(readText(found)).toBe('"town 2"\n(1 nodes in total; this is the end)');
});

it('keeps a view of a token-dense script within the token limit', async () => {
  const harness = await openHarness();
  const text = '漢字仮名交じり文を書く。麤鬱龘'.repeat(2_000);
  const [handle] = readHandles(await harness.execute({ content: [{ type: 'text', text }] }));
  for (const selector of [undefined, { head: { chars: 8_000 } }, 'lines', { bytes: { end: 1e6 } }]) {
    expect(countTokens(readText(await harness.view(handle!, selector)))).toBeLessThanOrEqual(2_100);
  }
});

it('describes a file of several megabytes instead of sending it', async () => {
  const harness = await openHarness();
  const blob = Buffer.alloc(6_000_000, 7).toString('base64');
  const resource = { uri: 'x:y', mimeType: 'application/pdf', blob };
  const [handle] = readHandles(await harness.execute({ content: [{ type: 'resource', resource }] }));
  const answer = await harness.view(handle!, { head: { chars: 10 } });
  expect(JSON.stringify(answer).length).toBeLessThan(1_000);
  expect(readText(answer)).toBe(
    'application/pdf, too large to show whole\n(6000000 bytes in total; next: {"bytes":{}})',
  );
});
