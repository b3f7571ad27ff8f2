import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSampled, traceFields, traceFrom } from './trace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('traceFrom', () => {
  it.each([
    ['sampled', `00-${TRACE}-${PARENT}-01`, 1],
    ['not sampled', `00-${TRACE}-${PARENT}-00`, 0],
    ['sampled, with a random trace id', `00-${TRACE}-${PARENT}-03`, 3],
    ['sampled, with unknown flags', `00-${TRACE}-${PARENT}-0d`, 1],
    ['not sampled, with every other flag', `00-${TRACE}-${PARENT}-fe`, 2],
    ['of a later version', `01-${TRACE}-${PARENT}-01`, 1],
    ['of a later version with an extra field', `cc-${TRACE}-${PARENT}-01-extra-field`, 1],
  ])("continues the caller's trace: %s", (_, header, flags) => {
    const trace = traceFrom(header);
    expect(trace).toEqual({ traceId: TRACE, parentId: PARENT, flags });
    expect(isSampled(trace)).toBe(flags % 2 === 1);
  });

  it.each([
    ['one member', 'rojo=00f067aa0ba902b7', true],
    ['several members, as two joined headers', 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE', true],
    ['the maximum length', `a=${'b'.repeat(510)}`, true],
    ['one character too long', `a=${'b'.repeat(511)}`, false],
    ['empty text', '', false],
    ['a line break', 'a=b\r\nauthorization: none', false],
    ['a character outside ASCII', 'a=é', false],
    ['a list', ['a=b'], false],
  ])('keeps a valid trace state and drops an invalid one: %s', (_, state, isValid) => {
    const { state: kept } = traceFrom(`00-${TRACE}-${PARENT}-01`, state);
    expect(kept).toBe(isValid ? state : undefined);
  });

  it('drops the state of an invalid trace', () => {
    expect(traceFrom('00-x', 'rojo=1')).not.toHaveProperty('state');
  });

  it.each([
    ['a missing header', undefined],
    ['null', null],
    ['a number', 42],
    ['a list', [`00-${TRACE}-${PARENT}-01`]],
    ['empty text', ''],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['version ff with an extra field', `ff-${TRACE}-${PARENT}-01-x`],
    ['version 00 with an extra field', `00-${TRACE}-${PARENT}-01-x`],
    ['version 00 with a trailing dash', `00-${TRACE}-${PARENT}-01-`],
    ['a later version with trailing text', `01-${TRACE}-${PARENT}-01x`],
    ['a version of one digit', `0-${TRACE}-${PARENT}-01`],
    ['an all-zero trace id', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['an all-zero parent id', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['an uppercase trace id', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['a trace id that is not hex', `00-${TRACE.replace('0', 'g')}-${PARENT}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['a long trace id', `00-0${TRACE}-${PARENT}-01`],
    ['a short parent id', `00-${TRACE}-${PARENT.slice(1)}-01`],
    ['flags that are not hex', `00-${TRACE}-${PARENT}-0x`],
    ['no flags', `00-${TRACE}-${PARENT}`],
    ['a trailing newline', `00-${TRACE}-${PARENT}-01\n`],
    ['a newline in a later version', `01-${TRACE}-${PARENT}-01-x\ny`],
    ['a leading space', ` 00-${TRACE}-${PARENT}-01`],
    ['two joined headers', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
  ])('starts a new trace for %s', (_, header) => {
    const { isNew, ...fresh } = traceFrom(header);
    expect(isNew).toBe(true);
    expect(fresh.traceId).not.toBe(TRACE);
    expect(fresh.parentId).not.toBe(PARENT);
    expect(isSampled(fresh)).toBe(true);
    expect(traceFrom(traceFields(fresh).traceparent)).toEqual(fresh);
  });

  it('starts a different trace each time', () => {
    const fresh = Array.from({ length: 1_000 }, () => traceFrom(undefined));
    for (const { traceId, parentId } of fresh) {
      expect(traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
      expect(parentId).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
    }
    expect(new Set(fresh.map(({ traceId }) => traceId)).size).toBe(1_000);
    expect(new Set(fresh.map(({ parentId }) => parentId)).size).toBe(1_000);
  });
});

describe('traceFields', () => {
  it('writes fields that traceFrom reads back', () => {
    const hex = (length: number) =>
      fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
    const context = fc.record(
      {
        traceId: hex(32),
        parentId: hex(16),
        flags: fc.integer({ min: 0, max: 3 }),
        state: fc.stringMatching(/^[ -~]{1,512}$/),
      },
      { requiredKeys: ['traceId', 'parentId', 'flags'] },
    );
    fc.assert(
      fc.property(context, (trace) => {
        const { traceparent, tracestate } = traceFields(trace);
        expect(traceparent).toHaveLength(55);
        expect(traceFrom(traceparent, tracestate)).toEqual(trace);
      }),
    );
  });

  it('writes version 00', () => {
    const trace = { traceId: TRACE, parentId: PARENT };
    expect(traceFields({ ...trace, flags: 1 })).toEqual({ traceparent: `00-${TRACE}-${PARENT}-01` });
    expect(traceFields({ ...trace, flags: 0, state: 'a=b' })).toEqual({
      traceparent: `00-${TRACE}-${PARENT}-00`,
      tracestate: 'a=b',
    });
  });
});
