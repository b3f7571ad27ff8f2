import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchSender } from './batch-sender.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Sending {
  readonly things: readonly number[];
  arrive(): void;
}

function outbox(): { readonly box: BatchSender<number>; readonly sendings: Sending[] } {
  const sendings: Sending[] = [];
  const box = new BatchSender<number>({
    send: (things) => new Promise((arrive) => sendings.push({ things, arrive })),
    atOnce: 3,
    atMost: 5,
    delayMs: 1_000,
  });
  return { box, sendings };
}

const sentIn = (sendings: readonly Sending[]): (readonly number[])[] => sendings.map(({ things }) => things);

describe('an outbox', () => {
  it('sends as soon as there are enough', () => {
    const { box, sendings } = outbox();
    for (const thing of [1, 2, 3]) box.add(thing);
    expect(sentIn(sendings)).toEqual([[1, 2, 3]]);
  });

  it('sends fewer when the first of them has waited long enough', () => {
    const { box, sendings } = outbox();
    box.add(1);
    vi.advanceTimersByTime(999);
    box.add(2);
    expect(sendings).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sentIn(sendings)).toEqual([[1, 2]]);
  });

  it('sends no second time before the first has arrived, and then what is due', async () => {
    const { box, sendings } = outbox();
    for (const thing of [1, 2, 3, 4, 5, 6]) box.add(thing);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentIn(sendings)).toEqual([[1, 2, 3]]);
    sendings[0]!.arrive();
    await vi.advanceTimersByTimeAsync(0);
    expect(sentIn(sendings)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('goes on after what could not be sent', async () => {
    const sent: (readonly number[])[] = [];
    const box = new BatchSender<number>({
      send: async (things) => {
        sent.push(things);
        throw new Error('nobody there');
      },
      atOnce: 1,
      atMost: 5,
      delayMs: 1_000,
    });
    for (const thing of [1, 2, 3]) box.add(thing);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([[1], [2], [3]]);
    box.add(4);
    await expect(box.close()).resolves.toBeUndefined();
  });

  it('loses what comes while too much waits, and nothing else', async () => {
    const { box, sendings } = outbox();
    for (let thing = 1; thing <= 10; thing++) box.add(thing);
    sendings[0]!.arrive();
    const closed = box.close();
    for (const { arrive } of sendings) arrive();
    await closed;
    expect(sentIn(sendings)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ]);
  });

  it('is closed when all of it has arrived, what was on its way included', async () => {
    const { box, sendings } = outbox();
    for (const thing of [1, 2, 3, 4]) box.add(thing);
    let isClosed = false;
    void box.close().then(() => {
      isClosed = true;
    });
    for (const { arrive } of [...sendings]) {
      await vi.advanceTimersByTimeAsync(60_000);
      expect(isClosed).toBe(false);
      arrive();
    }
    await vi.advanceTimersByTimeAsync(0);
    expect({ isClosed, sent: sentIn(sendings) }).toEqual({ isClosed: true, sent: [[1, 2, 3], [4]] });
  });

  it('sends everything once and in its order, however adding and arriving take turns', async () => {
    const doing = fc.constantFrom('add', 'arrive', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(doing, { maxLength: 60 }), async (doings) => {
        const { box, sendings } = outbox();
        let added = 0;
        let waiting = 0;
        for (const what of doings) {
          if (what === 'add' && waiting < 5) box.add(added++);
          if (what === 'arrive') for (const { arrive } of sendings) arrive();
          await vi.advanceTimersByTimeAsync(what === 'wait' ? 1_000 : 0);
          waiting = added - sentIn(sendings).flat().length;
        }
        const closed = box.close();
        for (const { arrive } of sendings) arrive();
        await closed;
        expect(sentIn(sendings).flat()).toEqual(Array.from({ length: added }, (_, i) => i));
        expect(sentIn(sendings).every(({ length }) => length > 0 && length <= 3)).toBe(true);
      }),
    );
  });
});
