import { expect, test } from 'vitest';
import { sampleReceipt } from '../../toolkit/store-suite.ts';
import { packReceipt, unpackReceipt } from './packed-receipt.ts';

const receipt = sampleReceipt({
  callId: 'a',
  toolId: 'shop:buy#1',
  idempotencyKey: 'order-41',
  decision: {
    effect: 'allow',
    reasons: [{ rule: 'r', effect: 'allow', text: '"quoted" \u0000' }],
    obligations: [],
  },
});

test('a packed receipt is unpacked with every member', () => {
  expect(unpackReceipt(packReceipt(receipt))).toStrictEqual(receipt);
});

test('a receipt that was stored with member names is still read', () => {
  expect(unpackReceipt(JSON.stringify(receipt))).toStrictEqual(receipt);
});

test('a packed receipt is unpacked with its hash as sent, equal to the one as received or not', () => {
  for (const sentHash of [receipt.inputHash, 'another', null]) {
    const packed = packReceipt({ ...receipt, sentHash });
    expect(unpackReceipt(packed)).toStrictEqual({ ...receipt, sentHash });
  }
  const without = { ...receipt, inputHash: null, sentHash: null };
  expect(unpackReceipt(packReceipt(without))).toStrictEqual(without);
});
