import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, type Lane } from './fair-queue.ts';

interface Waiting {
  readonly lane: Lane;
  readonly id: number;
}

const lanes = fc.tuple(fc.constantFrom('ann', 'ben', 'cy'), fc.constantFrom('one', 'two'));
const steps = fc.array(
  fc.record({ what: fc.constantFrom('add', 'add', 'take', 'leave'), lane: lanes, which: fc.nat() }),
  {
    minLength: 5,
    maxLength: 60,
  },
);

describe('FairQueue', () => {
  it('takes one item of each outer lane before a second one of any, and items of one lane in order', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add(['ann', 'x'], item);
    queue.add(['ben', 'x'], 'b1');
    queue.add(['ann', 'y'], 'a5');
    queue.add(['cy', 'x'], 'c1');
    queue.add(['ben', 'x'], 'b2');
    const taken = Array.from({ length: 9 }, () => queue.take());
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a5', 'b2', 'a2', 'a3', 'a4', undefined]);
  });

  it('lets no item wait for more than one item of each other lane, for any sequence of steps', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const queue = new FairQueue<Waiting>();
        let waiting: Waiting[] = [];
        /** For each waiting outer lane: how often the others were served since its last turn. */
        const served = new Map<string, Map<string, number>>();
        for (const [id, { what, lane, which }] of sequence.entries()) {
          if (what === 'add') {
            const item = { lane, id };
            queue.add(lane, item);
            waiting.push(item);
          } else if (what === 'leave') {
            const item = waiting[which % (waiting.length || 1)];
            if (!item) continue;
            expect(queue.delete(item.lane, item)).toBe(true);
            expect(queue.delete(item.lane, item)).toBe(false);
            waiting = waiting.filter((one) => one !== item);
          } else {
            const item = queue.take();
            expect(item === undefined).toBe(waiting.length === 0);
            if (!item) continue;
            const [outer] = item.lane;
            const earlier = waiting.filter((one) => one.lane.join() === item.lane.join() && one.id < item.id);
            expect(earlier).toEqual([]);
            waiting = waiting.filter((one) => one !== item);
            served.delete(outer!);
            for (const name of new Set(waiting.map((one) => one.lane[0]!))) {
              if (name === outer) continue;
              const turns = served.get(name) ?? new Map<string, number>();
              served.set(name, turns.set(outer!, (turns.get(outer!) ?? 0) + 1));
              expect(turns.get(outer!)).toBeLessThanOrEqual(1);
            }
          }
          for (const name of served.keys())
            if (!waiting.some((one) => one.lane[0] === name)) served.delete(name);
          expect(queue.size).toBe(waiting.length);
        }
      }),
    );
  });

  it('sheds the last item of the longest lane, and the new item where no lane is longer', () => {
    fc.assert(
      fc.property(fc.array(lanes, { minLength: 1, maxLength: 40 }), (sequence) => {
        const queue = new FairQueue<Waiting>();
        const max = 6;
        let waiting: Waiting[] = [];
        const lengthOf = (outer: string): number => waiting.filter(({ lane }) => lane[0] === outer).length;
        for (const [id, lane] of sequence.entries()) {
          const item = { lane, id };
          queue.add(lane, item);
          waiting.push(item);
          if (queue.size <= max) continue;
          const longest = Math.max(...waiting.map((one) => lengthOf(one.lane[0]!)));
          const shed = queue.shed(lane, item);
          expect(lengthOf(shed.lane[0]!)).toBe(longest);
          if (lengthOf(lane[0]) === longest) expect(shed.lane[0]).toBe(lane[0]);
          waiting = waiting.filter((one) => one !== shed);
          expect(waiting).toHaveLength(max);
          expect(queue.size).toBe(max);
        }
        const taken = waiting.map(() => queue.take());
        expect(new Set(taken)).toEqual(new Set(waiting));
        expect(queue.take()).toBeUndefined();
      }),
    );
  });
});
