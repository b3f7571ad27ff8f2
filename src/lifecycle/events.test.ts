import { describe, expect, it } from 'vitest';
import { type CallEvent, CallEvents } from './events.ts';

const TROUBLE: CallEvent = { type: 'trouble', callId: 'c', what: 'test', cause: undefined };

describe('CallEvents', () => {
  it('calls every listener in the order of subscription, until it unsubscribes', () => {
    const events = new CallEvents();
    const received: string[] = [];
    const unsubscribe = events.subscribe(() => received.push('first'));
    events.subscribe(() => received.push('second'));
    events.publish(TROUBLE);
    unsubscribe();
    unsubscribe();
    events.publish(TROUBLE);
    expect(received).toEqual(['first', 'second', 'second']);
  });

  it('calls the other listeners when one throws or unsubscribes', () => {
    const events = new CallEvents();
    const received: CallEvent[] = [];
    events.subscribe(() => {
      throw new Error('broken');
    });
    const unsubscribe = events.subscribe(() => unsubscribe());
    events.subscribe((event) => received.push(event));
    events.publish(TROUBLE);
    events.publish(TROUBLE);
    expect(received).toEqual([TROUBLE, TROUBLE]);
  });

  it('has readers of phases only while a listener wants them', () => {
    const events = new CallEvents();
    events.subscribe(() => {}, { readsPhases: false });
    expect(events.arePhasesRead).toBe(false);
    const unsubscribe = events.subscribe(() => {});
    expect(events.arePhasesRead).toBe(true);
    unsubscribe();
    expect(events.arePhasesRead).toBe(false);
  });

  it('is traced while a listener exports spans', () => {
    const events = new CallEvents();
    events.subscribe(() => {});
    expect(events.areTraced).toBe(false);
    const unsubscribe = events.subscribe(() => {}, { makesSpans: true });
    expect(events.areTraced).toBe(true);
    unsubscribe();
    expect(events.areTraced).toBe(false);
  });
});
