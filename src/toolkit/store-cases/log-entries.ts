import assert from 'node:assert/strict';
import type { Receipt } from '../../contract/call/receipt.ts';
import { DuplicateEntryError } from '../../contract/ports/receipt-log.ts';
import { CLEARED_EXAMPLES, callIdOf, callIds, intentOf, resolutionOf } from './log-samples.ts';
import { sampleEntry, sampleReceipt } from './samples.ts';
import { type StoreCase, withStores } from './store-case.ts';

const BARE: Omit<Partial<Receipt>, 'callId'> = {
  tenant: null,
  client: null,
  operation: null,
  toolId: null,
  toolVersion: null,
  toolDigest: null,
  mutation: null,
  sideEffects: [],
  inputHash: null,
  sentHash: null,
  outputSummary: null,
  decision: null,
  approvalId: null,
  credential: null,
  transport: null,
  status: 'ok',
  errorCode: null,
  phase: 'return',
  durationMs: 0,
  idempotencyKey: null,
  source: null,
};

const STRANGE_TEXTS = [
  'nul \u0000 inside',
  'nul \\u0000 spelled out',
  'half a pair \ud83d and the other \ude00',
  'whole pair 😀 and e\u0301 against é',
  `quotes ' " \` and \\ and %_?$1`,
  'line\r\nbreaks\tand \u007f \u2028 \ufeff',
  '',
];

/** The obligations of `ReceiptLog` for entries: what is stored, and in which order. */
export const entryCases: readonly StoreCase[] = [
  {
    name: 'receipt log: a receipt comes back field by field',
    run: withStores(async ({ receipts }) => {
      const full = sampleReceipt({ callId: 'full' });
      const bare = sampleReceipt({ callId: 'bare', ...BARE });
      await receipts.append({ kind: 'call', receipt: full });
      await receipts.append({ kind: 'call', receipt: bare });
      assert.deepEqual(await receipts.get('full'), full);
      assert.deepEqual(await receipts.get('bare'), bare);
      assert.equal(await receipts.get('neither'), undefined);
      const listed = (await receipts.list({ limit: 10 })).map(({ seq: _, ...entry }) => entry);
      assert.deepEqual(listed, [
        { kind: 'call', receipt: bare },
        { kind: 'call', receipt: full },
      ]);
    }),
  },
  {
    name: 'receipt log: entries of every kind come back field by field, and by the call that they belong to',
    run: withStores(async ({ receipts }) => {
      const call = sampleEntry({ callId: 'one', status: 'unknown' });
      const entries = [
        intentOf('one'),
        call,
        resolutionOf('one'),
        sampleEntry({ callId: 'two' }),
        CLEARED_EXAMPLES,
      ];
      const seqs: number[] = [];
      for (const entry of entries) seqs.push(await receipts.append(entry));
      const recorded = entries.map((entry, at) => ({ seq: seqs[at], ...entry }));
      assert.deepEqual(await receipts.read(0, 10), recorded);
      assert.deepEqual(await receipts.entriesOf('one'), recorded.slice(0, 3));
      assert.deepEqual(await receipts.entriesOf('neither'), []);
      assert.deepEqual(await receipts.get('one'), call.receipt);
      const bare = resolutionOf('three', { reason: null, idempotencyKey: null, verdict: 'executed' });
      const seq = await receipts.append(bare);
      assert.deepEqual(await receipts.entriesOf('three'), [{ seq, ...bare }]);
    }),
  },
  {
    name: 'receipt log: every character survives in every field and in the filters',
    run: withStores(async ({ receipts }) => {
      for (const [at, text] of STRANGE_TEXTS.entries()) {
        const callId = `${at}${text}`;
        const receipt = strangeReceipt(callId, text);
        const seq = await receipts.append({ kind: 'call', receipt });
        assert.deepEqual(await receipts.get(callId), receipt);
        const filter = { principalId: text, toolId: text, limit: 10 };
        assert.deepEqual(await receipts.list(filter), [{ seq, kind: 'call', receipt }]);
        const intent = intentOf(callId, { traceId: text, principalId: text, toolId: text, sentHash: text });
        const resolution = resolutionOf(callId, { traceId: text, principalId: text, reason: text });
        const seqs = [await receipts.append(intent), await receipts.append(resolution)];
        assert.deepEqual((await receipts.entriesOf(callId)).slice(1), [
          { seq: seqs[0], ...intent },
          { seq: seqs[1], ...resolution },
        ]);
      }
    }),
  },
  {
    name: 'receipt log: identifiers that differ only in case are different',
    run: withStores(async (stores) => {
      await stores.receipts.append(sampleEntry({ callId: 'call', principalId: 'Ann', toolId: 'a:Read' }));
      await stores.receipts.append(sampleEntry({ callId: 'CALL', principalId: 'ann', toolId: 'a:read' }));
      assert.equal((await stores.receipts.get('CALL'))?.principalId, 'ann');
      assert.deepEqual(await callIds(stores, { principalId: 'Ann', limit: 10 }), ['call']);
      assert.deepEqual(await callIds(stores, { toolId: 'a:read', limit: 10 }), ['CALL']);
    }),
  },
  {
    name: 'receipt log: a second entry of one kind for one call is rejected alone, and the first stays',
    run: withStores(async (stores) => {
      const { receipts } = stores;
      const first = sampleEntry({ callId: 'one', requested: 'first' });
      await receipts.append(first);
      await assert.rejects(
        receipts.append(sampleEntry({ callId: 'one', requested: 'second' })),
        DuplicateEntryError,
      );
      const together = await Promise.allSettled(
        ['two', 'one', 'three', 'two'].map((callId, at) =>
          receipts.append(sampleEntry({ callId, requested: `together ${at}` })),
        ),
      );
      assert.deepEqual(
        together.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
      );
      assert.deepEqual(await receipts.get('one'), first.receipt);
      assert.equal((await receipts.get('two'))?.requested, 'together 0');
      assert.deepEqual(await callIds(stores, { limit: 10 }), ['three', 'two', 'one']);
      await receipts.append(intentOf('one'));
      await assert.rejects(receipts.append(intentOf('one')), DuplicateEntryError);
      await receipts.append(CLEARED_EXAMPLES);
      await receipts.append(CLEARED_EXAMPLES);
      assert.deepEqual(receipts.health, { pending: 0, lost: 0 });
    }),
  },
  {
    name: 'receipt log: 200 entries appended at once are all stored, with sequence numbers in the order of the appends',
    run: withStores(async ({ receipts }) => {
      assert.equal(await receipts.lastSeq(), 0);
      const ids = Array.from({ length: 200 }, (_, n) => `call-${n}`);
      const seqs = await Promise.all(ids.map((callId) => receipts.append(sampleEntry({ callId }))));
      assert.deepEqual(
        seqs,
        seqs.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(seqs).size, 200);
      assert.equal(await receipts.lastSeq(), seqs.at(-1));
      const page = await receipts.read(seqs[49]!, 100);
      assert.deepEqual(page.map(callIdOf), ids.slice(50, 150));
      assert.deepEqual(
        page.map(({ seq }) => seq),
        seqs.slice(50, 150),
      );
      assert.deepEqual(await receipts.read(seqs.at(-1)!, 100), []);
    }),
  },
];

function strangeReceipt(callId: string, text: string): Receipt {
  return sampleReceipt({
    callId,
    traceId: text,
    principalId: text,
    tenant: text,
    client: { name: text, version: text },
    surface: text,
    operation: text,
    requested: text,
    toolId: text,
    toolVersion: text,
    toolDigest: text,
    sideEffects: [{ resource: text, action: 'CREATE', scope: text }],
    inputHash: text,
    sentHash: text,
    outputSummary: { parts: 1, bytes: 0, sha256: text },
    approvalId: text,
    idempotencyKey: text,
    decision: {
      effect: 'deny',
      reasons: [{ rule: text, effect: 'not_evaluated', text }],
      obligations: [{ kind: text, text }],
    },
  });
}
