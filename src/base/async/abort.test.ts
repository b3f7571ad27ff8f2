import { describe, expect, it, vi } from 'vitest';
import { anySignal, onAbort, raceAbort } from './abort.ts';

const never = new Promise<never>(() => {});

describe('raceAbort', () => {
  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    await expect(raceAbort(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(raceAbort(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  });

  it('rejects with the reason of the signal, also where it has already fired', async () => {
    const controller = new AbortController();
    const race = raceAbort(never, controller.signal);
    controller.abort('stop');
    await expect(race).rejects.toBe('stop');
    await expect(raceAbort(never, controller.signal)).rejects.toBe('stop');
  });

  it('removes its listener when the work has settled', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await raceAbort(Promise.resolve(), signal);
    expect(remove).toHaveBeenCalledWith('abort', add.mock.calls[0]![1]);
  });
});

describe('onAbort', () => {
  it('calls the listener when the signal fires', () => {
    const controller = new AbortController();
    const listener = vi.fn();
    onAbort(controller.signal, listener);
    expect(listener).not.toHaveBeenCalled();
    controller.abort();
    controller.abort();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('calls the listener at once where the signal has already fired', () => {
    const listener = vi.fn();
    onAbort(AbortSignal.abort(), listener);
    expect(listener).toHaveBeenCalledTimes(1);
  });
});

describe('anySignal', () => {
  it('fires with the reason of the first signal that fires', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const any = anySignal([one.signal, other.signal]);
    expect(any.aborted).toBe(false);
    other.abort('second');
    one.abort('first');
    expect(any.reason).toBe('second');
  });

  it('has fired where one of the signals has', () => {
    expect(anySignal([new AbortController().signal, AbortSignal.abort('before')]).reason).toBe('before');
    expect(anySignal([]).aborted).toBe(false);
  });
});
