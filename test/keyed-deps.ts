/** Recording dependencies with a real idempotency store, for tests of idempotent calls. */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { Outcome, Provenance } from '../src/contract/call/outcome.ts';
import type { ToolResult } from '../src/contract/call/tool-result.ts';
import type { IdempotencyStore } from '../src/contract/ports/idempotency-store.ts';
import type { DeclaredTerms } from '../src/contract/tool/descriptor.ts';
import type { CallDependencies } from '../src/lifecycle/dependencies.ts';
import { openSqliteStores } from '../src/stores/sqlite/open.ts';
import { folderWith } from './folder.ts';
import {
  ECHO,
  ECHO_RESULT,
  type RecordingDeps,
  type RecordingDepsOptions,
  recordingDeps,
  type SendParts,
  send,
} from './recording-deps.ts';

export interface KeyedDeps extends RecordingDeps {
  /** The steps at the idempotency store and at the upstream, in order. */
  readonly steps: string[];
  readonly idempotency: IdempotencyStore;
  /** The states of the stored keys. */
  states(): string[];
  call(more?: SendParts): Promise<Outcome>;
}

export interface KeyedDepsOptions
  extends RecordingDepsOptions,
    Partial<Pick<CallDependencies, 'onInFlight'>> {
  /** Replaces methods of the store. */
  readonly storeOverrides?: Partial<IdempotencyStore>;
}

const KEYED = { idempotencyKey: 'order-41' } as const;
const RECORDED_METHODS = ['claim', 'recordIntent', 'complete', 'release', 'markUnknown'] as const;
/** Long enough for a machine under load. */
export const HANG_MS = 20_000;

/** The idempotency store is in a SQLite file, and every call of `call` has the same key. */
export async function keyedDeps(options: KeyedDepsOptions = {}): Promise<KeyedDeps> {
  const { answer = async () => ECHO_RESULT, storeOverrides = {}, onInFlight = 'wait' } = options;
  const file = join(folderWith(), 'toolgate.sqlite');
  const stores = await openSqliteStores({ file, syncIntents: false });
  onTestFinished(() => stores.close());
  const steps: string[] = [];
  const recordedMethods = RECORDED_METHODS.map((name) => [
    name,
    (...args: never[]) => {
      steps.push(name);
      const method = (storeOverrides[name] ?? stores.idempotency[name]) as (
        ...args: never[]
      ) => Promise<unknown>;
      return method(...args);
    },
  ]);
  const idempotency: IdempotencyStore = {
    ...stores.idempotency,
    ...storeOverrides,
    ...Object.fromEntries(recordedMethods),
  };
  const recorded = recordingDeps({
    ...options,
    answer: (call) => {
      steps.push('effect');
      return answer(call);
    },
  });
  const deps = { ...recorded.deps, idempotency, onInFlight };
  return {
    ...recorded,
    deps,
    idempotency: stores.idempotency,
    steps,
    states: () => {
      const db = new SqliteDatabase(file, { readonly: true });
      try {
        const states = db.prepare<[], string>(
          `SELECT 'done' AS state, 0 AS since FROM toolgate_stored_results
           UNION ALL SELECT state, since FROM toolgate_open_claims ORDER BY since`,
        );
        return states.pluck().all();
      } finally {
        db.close();
      }
    },
    call: (more) => send(deps, { ...KEYED, ...more }),
  };
}

export function declaring(declared: DeclaredTerms): Pick<RecordingDepsOptions, 'tools'> {
  return { tools: [{ ...ECHO, declared }] };
}

export const READ_ONLY: Pick<RecordingDepsOptions, 'tools'> = declaring({ mutation: 'read_only' });

/** An upstream that fails with this error. */
export function failing(thrown: unknown): () => Promise<never> {
  return async () => {
    throw thrown;
  };
}

export const never = (): Promise<never> => new Promise(() => {});

export function failure(outcome: Outcome): Extract<Outcome, { status: 'failed' }> {
  if (outcome.status !== 'failed') throw new Error(`The call ended with status ${outcome.status}.`);
  return outcome;
}

/** An outcome without the parts that differ between the first call and a replay. */
export function comparable(outcome: Outcome): unknown {
  const { callId: _, traceId: __, timing: ___, ...rest } = outcome;
  if (rest.status !== 'ok' && rest.status !== 'failed') return rest;
  const { provenance: ____, ...shown } = rest;
  return shown;
}

export function provenanceOf(outcome: Outcome): Provenance | undefined {
  return outcome.status === 'ok' || outcome.status === 'failed' ? outcome.provenance : undefined;
}

export interface SlowAnswer {
  /** Resolves when the upstream has the call. */
  readonly started: Promise<void>;
  readonly finish: () => void;
  readonly answer: () => Promise<ToolResult>;
}

/** An upstream that answers when the test calls `finish`. */
export function slowAnswer(): SlowAnswer {
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<ToolResult>();
  return {
    started: started.promise,
    finish: () => answer.resolve(ECHO_RESULT),
    answer: () => {
      started.resolve();
      return answer.promise;
    },
  };
}
