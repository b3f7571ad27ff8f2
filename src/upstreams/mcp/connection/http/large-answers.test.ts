import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LargeAnswers, type Pausable } from './large-answers.ts';

class Answer implements Pausable {
  isPaused = false;
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
}

describe('LargeAnswers', () => {
  it('lets at most two answers go on, and never fewer while others wait', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (steps) => {
        const large = new LargeAnswers();
        const open: Answer[] = [];
        for (const step of steps) {
          const ended = open[step];
          if (ended) {
            open.splice(step, 1);
            large.end(ended);
          } else {
            const answer = new Answer();
            open.push(answer);
            large.begin(answer);
          }
          expect(open.filter(({ isPaused }) => !isPaused)).toHaveLength(Math.min(open.length, 2));
        }
      }),
    );
  });
});
