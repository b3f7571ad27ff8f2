/** Results that came out wrong on the whole road: from an upstream, through a running gateway, to the official client. */
import { expect, it, onTestFinished } from 'vitest';
import { countTokens } from '../src/app/wiring/tokenizer.ts';
import { handlesIn, openRoad, type Road, readText } from './results/result-harness.ts';

async function opened(settings?: Parameters<typeof openRoad>[0]): Promise<Road> {
  const road = await openRoad(settings);
  onTestFinished(road.close);
  return road;
}

const lines = (word: string): string =>
  Array.from({ length: 9_000 }, (_, i) => `${word} line ${i} ${'z'.repeat(60)}`).join('\n');

it('a keyed write with a picture in lines of base64 is done, once, and answered', async () => {
  const road = await opened({ tools: { 'shop:give': { mutation: 'write_reversible' } } });
  const result = {
    content: [
      { type: 'text', text: 'order 4711 was placed' },
      { type: 'image', data: 'QUJD\nREVG', mimeType: 'image/png' },
    ],
  };
  const expected = [result.content[0], { type: 'image', data: 'QUJDREVG', mimeType: 'image/png' }];
  for (const _ of ['first', 'again']) {
    const answer = await road.execute(result, { idempotency_key: 'order-4711' });
    expect(answer.isError ?? false).toBe(false);
    expect(answer.content).toEqual(expected);
  }
  expect(road.calls).toBe(1);
});

it('parts that fit the quota one by one and not together are given whole, and no handle is named that is gone', async () => {
  const road = await opened({ results: { artifactQuotaMegabytes: 1 } });
  const content = ['first', 'second'].map((word) => ({ type: 'text', text: lines(word) }));
  expect((await road.execute({ content })).content).toEqual(content);
  const one = await road.execute({ content: content.slice(0, 1) });
  const [handle] = handlesIn(one);
  expect(readText(await road.view(handle!, { lines: { end: 1 } }))).toContain('first line 0');
});

it('a document in every line is read as rows, and an id to its last digit', async () => {
  const road = await opened();
  const text = Array.from(
    { length: 500 },
    (_, i) =>
      `{"id":12345678901234567${String(i).padStart(3, '0')},"city":"town ${i % 5}","note":"free text"}`,
  ).join('\n');
  const summary = await road.execute({ content: [{ type: 'text', text }] });
  expect(readText(summary)).toContain('"town 0" ×100');
  const [handle] = handlesIn(summary);
  expect(readText(await road.view(handle!, { rows: { start: 7, end: 8, columns: ['id'] } }))).toContain(
    '\n["12345678901234567007"]\n',
  );
  const found = await road.view(handle!, { jsonpath: { path: '$[?@.id == 12345678901234567007].city' } });
  expect(readText(found)).toBe('"town 2"\n(1 nodes in all; this is the end)');
});

it('a view of a script that is dense in tokens costs no more than one of another', async () => {
  const road = await opened();
  const text = '漢字仮名交じり文を書く。麤鬱龘'.repeat(2_000);
  const [handle] = handlesIn(await road.execute({ content: [{ type: 'text', text }] }));
  for (const selector of [undefined, { head: { chars: 8_000 } }, 'lines', { bytes: { end: 1e6 } }]) {
    expect(countTokens(readText(await road.view(handle!, selector)))).toBeLessThanOrEqual(2_100);
  }
});

it('a file of megabytes is told and not sent', async () => {
  const road = await opened();
  const blob = Buffer.alloc(6_000_000, 7).toString('base64');
  const resource = { uri: 'x:y', mimeType: 'application/pdf', blob };
  const [handle] = handlesIn(await road.execute({ content: [{ type: 'resource', resource }] }));
  const answer = await road.view(handle!, { head: { chars: 10 } });
  expect(JSON.stringify(answer).length).toBeLessThan(1_000);
  expect(readText(answer)).toBe(
    'application/pdf, too large to be shown whole\n(6000000 bytes in all; next: {"bytes":{}})',
  );
});
