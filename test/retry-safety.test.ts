import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../src/contract/errors/fault.ts';
import type { DeclaredTerms } from '../src/contract/tool/descriptor.ts';
import type { ToolHints } from '../src/contract/tool/tool.ts';
import { MUTATION_CLASSES } from '../src/contract/tool/tool.ts';
import type { RetryPolicy } from '../src/lifecycle/upstream/retry-policy.ts';
import { ECHO, recordingDeps, SAID, send } from './recording-deps.ts';

const AGAIN: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 0,
  maxDelayMs: 0,
  codes: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'],
};

/** What an upstream does with one attempt: the world has changed, or has not, and the answer may be lost. */
type Attempt = 'answers' | 'loses the answer' | 'never sees it';

interface Scene {
  readonly hints: ToolHints;
  readonly declared: DeclaredTerms;
  /** The key of each call, one after the other. */
  readonly keys: readonly (string | undefined)[];
  readonly attempts: readonly Attempt[];
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  hints: fc.record(
    { readOnly: fc.boolean(), destructive: fc.boolean(), idempotent: fc.boolean() },
    { requiredKeys: [] },
  ),
  declared: fc.record(
    {
      mutation: fc.constantFrom(...MUTATION_CLASSES),
      repeatable: fc.boolean(),
      keyArgument: fc.constant('request_id'),
    },
    { requiredKeys: [] },
  ),
  keys: fc.array(fc.constantFrom('one', 'two', undefined), { minLength: 1, maxLength: 6 }),
  attempts: fc.array(fc.constantFrom<Attempt>('answers', 'loses the answer', 'never sees it'), {
    minLength: 1,
    maxLength: 20,
  }),
});

interface Seen {
  readonly key: string | undefined;
  readonly call: number;
  /** What the tool can tell repeats by. */
  readonly argument: unknown;
}

/** What really happened in the world, in order. */
async function effectsOf({ hints, declared, keys, attempts }: Scene): Promise<Seen[]> {
  const effects: Seen[] = [];
  let attempt = 0;
  let present: Omit<Seen, 'argument'> = { key: undefined, call: -1 };
  const properties = { message: { type: 'string' }, request_id: { type: 'string' } };
  const { deps } = recordingDeps({
    tools: [{ ...ECHO, inputSchema: { type: 'object', properties }, hints, declared }],
    retry: AGAIN,
    answer: async ({ args }) => {
      const does = attempts[attempt++ % attempts.length]!;
      if (does === 'never sees it') throw new Fault('UPSTREAM_UNAVAILABLE', 'away', { effect: 'none' });
      effects.push({ ...present, argument: args.request_id });
      if (does === 'loses the answer') throw new Fault('UPSTREAM_UNAVAILABLE', 'lost');
      return SAID;
    },
  });
  for (const [call, key] of keys.entries()) {
    present = { key, call };
    await send(deps, key === undefined ? {} : { idempotencyKey: key });
  }
  return effects;
}

describe('an effect', () => {
  it('happens once a call, and once a key, unless somebody answers for a repeat: a hint does not', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { mutation, idempotent = false, idempotencyKeyArgument } = scene.declared;
        if (mutation === 'read_only' || idempotent) return;
        const seen = await effectsOf(scene);
        for (const { key, call } of seen) {
          const same = seen.filter((other) => (key === undefined ? other.call === call : other.key === key));
          // What brings the tool the same key is one effect to it, however often it comes.
          const isTold = idempotencyKeyArgument !== undefined && key !== undefined;
          expect(isTold ? new Set(same.map(({ argument }) => argument)).size : same.length).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('comes again where an operator says that it does no harm', async () => {
    const lost: Attempt[] = ['loses the answer'];
    for (const declared of [
      { mutation: 'read_only' },
      { repeatable: true },
      { keyArgument: 'request_id' },
    ] as const) {
      expect(await effectsOf({ hints: {}, declared, keys: ['one'], attempts: lost })).toHaveLength(3);
    }
    expect(
      await effectsOf({ hints: { readOnly: true }, declared: {}, keys: ['one', 'one'], attempts: lost }),
    ).toHaveLength(1);
  });
});
