import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../src/contract/errors/fault.ts';
import type { DeclaredTerms } from '../src/contract/tool/descriptor.ts';
import type { ToolHints } from '../src/contract/tool/tool.ts';
import { MUTATION_CLASSES } from '../src/contract/tool/tool.ts';
import type { RetryPolicy } from '../src/lifecycle/upstream/retry-policy.ts';
import { ECHO, ECHO_RESULT, recordingDeps, send } from './recording-deps.ts';

const RETRY: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 0,
  maxDelayMs: 0,
  codes: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'],
};

/** What happens to one attempt: only the last one has no effect. */
type Attempt = 'answered' | 'answer lost' | 'not delivered';

interface Scenario {
  readonly hints: ToolHints;
  readonly declared: DeclaredTerms;
  /** The key of each call, in order. */
  readonly keys: readonly (string | undefined)[];
  readonly attempts: readonly Attempt[];
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  hints: fc.record(
    { readOnly: fc.boolean(), destructive: fc.boolean(), idempotent: fc.boolean() },
    { requiredKeys: [] },
  ),
  declared: fc.record(
    {
      mutation: fc.constantFrom(...MUTATION_CLASSES),
      idempotent: fc.boolean(),
      idempotencyKeyArgument: fc.constant('request_id'),
    },
    { requiredKeys: [] },
  ),
  keys: fc.array(fc.constantFrom('one', 'two', undefined), { minLength: 1, maxLength: 6 }),
  attempts: fc.array(fc.constantFrom<Attempt>('answered', 'answer lost', 'not delivered'), {
    minLength: 1,
    maxLength: 20,
  }),
});

interface Effect {
  readonly key: string | undefined;
  readonly call: number;
  /** The key that the tool received as an argument. */
  readonly keyArgument: unknown;
}

/** Runs the calls and returns the real effects, in order. */
async function runScenario({ hints, declared, keys, attempts }: Scenario): Promise<Effect[]> {
  const effects: Effect[] = [];
  let attempt = 0;
  let current: Omit<Effect, 'keyArgument'> = { key: undefined, call: -1 };
  const properties = { message: { type: 'string' }, request_id: { type: 'string' } };
  const { deps } = recordingDeps({
    tools: [{ ...ECHO, inputSchema: { type: 'object', properties }, hints, declared }],
    retry: RETRY,
    answer: async ({ args }) => {
      const behaviour = attempts[attempt++ % attempts.length]!;
      if (behaviour === 'not delivered')
        throw new Fault('UPSTREAM_UNAVAILABLE', 'unavailable', { effect: 'none' });
      effects.push({ ...current, keyArgument: args.request_id });
      if (behaviour === 'answer lost') throw new Fault('UPSTREAM_UNAVAILABLE', 'lost');
      return ECHO_RESULT;
    },
  });
  for (const [call, key] of keys.entries()) {
    current = { key, call };
    await send(deps, key === undefined ? {} : { idempotencyKey: key });
  }
  return effects;
}

describe('an effect', () => {
  it('happens once per call and once per key unless the tool is declared read-only or idempotent; a hint is not enough', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const { mutation, idempotent = false, idempotencyKeyArgument } = scenario.declared;
        if (mutation === 'read_only' || idempotent) return;
        const effects = await runScenario(scenario);
        for (const { key, call } of effects) {
          const same = effects.filter((other) =>
            key === undefined ? other.call === call : other.key === key,
          );
          // A tool that accepts keys treats every call with the same key as one effect.
          const isDeduplicated = idempotencyKeyArgument !== undefined && key !== undefined;
          expect(
            isDeduplicated ? new Set(same.map(({ keyArgument }) => keyArgument)).size : same.length,
          ).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is retried if the declaration allows it, and not if only a hint does', async () => {
    const lost: Attempt[] = ['answer lost'];
    for (const declared of [
      { mutation: 'read_only' },
      { idempotent: true },
      { idempotencyKeyArgument: 'request_id' },
    ] as const) {
      expect(await runScenario({ hints: {}, declared, keys: ['one'], attempts: lost })).toHaveLength(3);
    }
    expect(
      await runScenario({ hints: { readOnly: true }, declared: {}, keys: ['one', 'one'], attempts: lost }),
    ).toHaveLength(1);
  });
});
