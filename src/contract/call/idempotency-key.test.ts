import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deriveIdempotencyKey, type KeyParts } from './idempotency-key.ts';

const PARTS: KeyParts = { sessionId: 's', toolId: 'a:b@1', stepId: '1', params: { x: 1, y: [2] } };

it('is the same on every machine', () => {
  expect(deriveIdempotencyKey('secret', PARTS)).toBe(
    '559da31530885360b7af964a09b4a8bedfbc73ebea696bdc661ef42ed7073dec',
  );
});

it('does not depend on the order of the arguments', () => {
  expect(deriveIdempotencyKey('secret', { ...PARTS, params: { y: [2], x: 1 } })).toBe(
    deriveIdempotencyKey('secret', PARTS),
  );
});

it('is another one for another secret, and for any other part', () => {
  const parts = fc.record({ sessionId: fc.string(), toolId: fc.string(), stepId: fc.string() });
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const key = (chosen: typeof one): string => deriveIdempotencyKey('secret', { ...chosen, params: {} });
      const alike =
        one.sessionId === other.sessionId && one.toolId === other.toolId && one.stepId === other.stepId;
      expect(key(one) === key(other)).toBe(alike);
      expect(deriveIdempotencyKey('other', { ...one, params: {} })).not.toBe(key(one));
    }),
  );
});

it('keeps parts from running into each other', () => {
  const key = (sessionId: string, toolId: string): string =>
    deriveIdempotencyKey('s', { ...PARTS, sessionId, toolId });
  expect(key('ab', 'c')).not.toBe(key('a', 'bc'));
  expect(key('a1:b', 'c')).not.toBe(key('a', '1:bc'));
});
