import { describe, expect, it } from 'vitest';
import { type CallEvent, CallEvents } from './events.ts';

const TROUBLE: CallEvent = { type: 'trouble', callId: 'c', what: 'test', cause: undefined };

describe('call events', () => {
  it('reach every listener in the order of subscription, until it leaves', () => {
    const events = new CallEvents();
    const heard: string[] = [];
    const leave = events.subscribe(() => heard.push('first'));
    events.subscribe(() => heard.push('second'));
    events.publish(TROUBLE);
    leave();
    leave();
    events.publish(TROUBLE);
    expect(heard).toEqual(['first', 'second', 'second']);
  });

  it('survive a listener that throws or leaves in the middle', () => {
    const events = new CallEvents();
    const heard: CallEvent[] = [];
    events.subscribe(() => {
      throw new Error('broken');
    });
    const leave = events.subscribe(() => leave());
    events.subscribe((event) => heard.push(event));
    events.publish(TROUBLE);
    events.publish(TROUBLE);
    expect(heard).toEqual([TROUBLE, TROUBLE]);
  });

  it('are traced for as long as a listener makes spans of them', () => {
    const events = new CallEvents();
    events.subscribe(() => {});
    expect(events.areTraced).toBe(false);
    const leave = events.subscribe(() => {}, { makesSpans: true });
    expect(events.areTraced).toBe(true);
    leave();
    expect(events.areTraced).toBe(false);
  });
});
