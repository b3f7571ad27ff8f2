import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveIdempotencyKey, type KeyParts } from './idempotency-key.ts';

const PARTS: KeyParts = { sessionId: 's', toolId: 'a:b@1', stepId: '1', params: { x: 1, y: [2] } };

describe('deriveIdempotencyKey', () => {
  it('derives the same key on every machine', () => {
    expect(deriveIdempotencyKey('secret', PARTS)).toBe(
      '559da31530885360b7af964a09b4a8bedfbc73ebea696bdc661ef42ed7073dec',
    );
  });

  it('ignores the order of the arguments', () => {
    expect(deriveIdempotencyKey('secret', { ...PARTS, params: { y: [2], x: 1 } })).toBe(
      deriveIdempotencyKey('secret', PARTS),
    );
  });

  it('derives another key for another secret, session, tool or step', () => {
    const parts = fc.record({ sessionId: fc.string(), toolId: fc.string(), stepId: fc.string() });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const key = (chosen: typeof one): string => deriveIdempotencyKey('secret', { ...chosen, params: {} });
        const isSame =
          one.sessionId === other.sessionId && one.toolId === other.toolId && one.stepId === other.stepId;
        expect(key(one) === key(other)).toBe(isSame);
        expect(deriveIdempotencyKey('other', { ...one, params: {} })).not.toBe(key(one));
      }),
    );
  });

  it('derives different keys for parts that concatenate to the same text', () => {
    const key = (sessionId: string, toolId: string): string =>
      deriveIdempotencyKey('s', { ...PARTS, sessionId, toolId });
    expect(key('ab', 'c')).not.toBe(key('a', 'bc'));
    expect(key('a1:b', 'c')).not.toBe(key('a', '1:bc'));
  });
});
