import { expect, test } from 'vitest';
import { sampleReceipt } from '../../toolkit/store-suite.ts';
import { packReceipt, RECEIPT_MEMBERS, unpackReceipt } from './packed-receipt.ts';

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

test('a packed receipt is unpacked with any of its objects missing', () => {
  const objects = {
    client: { name: 'c', version: '1' },
    outputSummary: { parts: 1, bytes: 2, sha256: 'f' },
    sideEffects: [{ resource: 'orders', action: 'UPDATE' as const, scope: 'one' }],
  };
  for (const missing of [
    {},
    { client: null },
    { outputSummary: null },
    { decision: null, sideEffects: [] },
  ]) {
    const mixed = { ...receipt, ...objects, ...missing };
    expect(unpackReceipt(packReceipt(mixed))).toStrictEqual(mixed);
  }
});

test('a receipt that was packed with its objects in place is still read', () => {
  const inPlace = RECEIPT_MEMBERS.map((member) => receipt[member]);
  expect(unpackReceipt(JSON.stringify(inPlace))).toStrictEqual(receipt);
});
