/** Call dependencies that record the phases, upstream calls, receipts and events of calls. */
import { admit } from '../src/catalog/admit.ts';
import { Catalog } from '../src/catalog/catalog.ts';
import type { ProfileName } from '../src/catalog/profile.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../src/catalog/schema/budget.ts';
import type { CallHandles, CallRequest } from '../src/contract/call/call-request.ts';
import { type Caller, createCaller } from '../src/contract/call/caller.ts';
import type { Outcome } from '../src/contract/call/outcome.ts';
import type { Phase } from '../src/contract/call/phase.ts';
import { LOCAL_USER } from '../src/contract/call/principal.ts';
import type { Receipt } from '../src/contract/call/receipt.ts';
import type { ToolResult } from '../src/contract/call/tool-result.ts';
import type { Artifact } from '../src/contract/ports/artifact-store.ts';
import type { ClaimResult, IdempotencyStore } from '../src/contract/ports/idempotency-store.ts';
import type { UpstreamRequest, UpstreamSignals } from '../src/contract/ports/upstream.ts';
import type { ToolDescriptor } from '../src/contract/tool/descriptor.ts';
import { type ArgumentRules, STRICT_ARGUMENTS, type ToolContract } from '../src/contract/tool/tool.ts';
import { Policy } from '../src/governance/policy.ts';
import type { Rule } from '../src/governance/rule.ts';
import { requiredScopes } from '../src/governance/rules/required-scopes.ts';
import type { CallDependencies } from '../src/lifecycle/dependencies.ts';
import { type CallEvent, CallEvents } from '../src/lifecycle/events.ts';
import { internalCalls } from '../src/lifecycle/internal-calls.ts';
import { invoke } from '../src/lifecycle/invoke.ts';
import type { ResultCache } from '../src/lifecycle/upstream/result-cache.ts';
import type { RetryPolicy } from '../src/lifecycle/upstream/retry-policy.ts';
import { UpstreamGuard } from '../src/lifecycle/upstream/upstream-guard.ts';
import { makeRuleSet } from '../src/redaction/rule-set.ts';

export const NAMESPACE = 'shop';

/** One `callTool`, as the recorded upstream received it. */
export type UpstreamCall = UpstreamRequest & UpstreamSignals;

export interface RecordingDeps {
  readonly deps: CallDependencies;
  readonly catalog: Catalog;
  /** The phases that used a dependency, in order. Validate and return use none. */
  readonly observedPhases: Phase[];
  readonly calls: UpstreamCall[];
  readonly receipts: Receipt[];
  readonly stored: Artifact[];
  readonly events: CallEvent[];
}

export interface RecordingDepsOptions {
  readonly tools?: readonly ToolDescriptor[];
  readonly visibility?: 'external' | 'internal';
  readonly profile?: ProfileName;
  readonly argumentRules?: ArgumentRules;
  readonly rules?: readonly Rule[];
  /** How the upstream answers a call. */
  readonly answer?: (call: UpstreamCall) => Promise<ToolResult>;
  readonly thresholdTokens?: number;
  readonly countTokens?: (text: string) => number;
  readonly append?: (receipt: Receipt) => Promise<void>;
  readonly put?: (artifact: Artifact) => Promise<void>;
  readonly isConfigured?: boolean;
  readonly retry?: RetryPolicy;
  /** With a free slot at the guard, one write is both the claim and the intent. */
  readonly hasFreeSlot?: boolean;
  readonly cache?: ResultCache;
}

export const ECHO: ToolDescriptor = {
  name: 'echo',
  version: '1.0.0',
  description: 'Says it again.',
  inputSchema: {
    type: 'object',
    properties: { message: { type: 'string' }, times: { type: 'integer', minimum: 1 } },
    required: ['message'],
  },
  hints: {},
};
export const ECHO_ID: string = `${NAMESPACE}:echo@1.0.0`;

export const NO_RETRY: RetryPolicy = { maxAttempts: 1, baseDelayMs: 200, maxDelayMs: 5_000, codes: [] };

export const ECHO_RESULT: ToolResult = { content: [{ type: 'text', text: 'said' }], isError: false };

export function admissionOf(
  tools: readonly ToolDescriptor[],
  {
    visibility = 'external',
    profile = 'personal',
    argumentRules = STRICT_ARGUMENTS,
  }: Pick<RecordingDepsOptions, 'visibility' | 'profile' | 'argumentRules'> = {},
): ReturnType<typeof admit> {
  return admit(NAMESPACE, tools, {
    profile,
    visibility,
    onOversizedSchema: 'refuse',
    argumentRules,
    limits: DEFAULT_SCHEMA_LIMITS,
  });
}

export function contractOf(descriptor: Partial<ToolDescriptor>): ToolContract {
  const [contract] = admissionOf([{ ...ECHO, ...descriptor }]).contracts;
  if (!contract) throw new Error('The catalog refused the contract of the test.');
  return contract;
}

export function recordingDeps(options: RecordingDepsOptions = {}): RecordingDeps {
  const { tools = [ECHO], rules = [requiredScopes], answer = async () => ECHO_RESULT } = options;
  const observedPhases: Phase[] = [];
  const calls: UpstreamCall[] = [];
  const receipts: Receipt[] = [];
  const stored: Artifact[] = [];
  const published: CallEvent[] = [];
  const events = new CallEvents();
  events.subscribe((event) => published.push(event));
  const catalog = new Catalog({ onInvalid: 'report' });
  catalog.replace(admissionOf(tools, options));
  const observe = (phase: Phase): void => {
    if (observedPhases.at(-1) !== phase) observedPhases.push(phase);
  };
  const upstream = {
    namespace: NAMESPACE,
    state: { kind: 'ready', since: '', protocol: 'test' } as const,
    start: async () => {},
    stop: async () => {},
    session: async () => ({
      callTool: async (request: UpstreamRequest, signals: UpstreamSignals) => {
        const call = { ...request, ...signals };
        observe('execute');
        calls.push(call);
        return { kind: 'result', result: await answer(call) } as const;
      },
    }),
  };
  const guard = new UpstreamGuard(NAMESPACE, {
    maxConcurrent: 64,
    maxQueued: 64,
    failureThreshold: 1_000,
    resetTimeoutMs: 1_000,
  });
  // Without a free slot, claim and intent are two steps that a test can observe.
  if (!options.hasFreeSlot) Object.defineProperty(guard, 'hasFreeSlot', { get: () => false });
  const deps: CallDependencies = {
    catalog: {
      get snapshot() {
        observe('request');
        return catalog.snapshot;
      },
    },
    policy: new Policy([
      ...rules,
      {
        name: 'recorder',
        perCall: true,
        evaluate: () => {
          observe('authorize');
          return undefined;
        },
      },
    ]),
    internalCalls,
    upstream: () => (options.isConfigured === false ? undefined : upstream),
    firewall: {
      artifacts: {
        put: async (_owner, artifact) => {
          observe('verify');
          await options.put?.(artifact);
          stored.push(artifact);
        },
        get: async () => undefined,
      },
      countTokens: (text) => {
        observe('verify');
        return options.countTokens?.(text) ?? 1;
      },
      // So small that even a short result is counted, which shows that the firewall was reached.
      thresholdTokens: options.thresholdTokens ?? 3,
      artifactTtlMs: 60_000,
      artifactQuotaBytes: 1_000_000,
      secrets: makeRuleSet(),
    },
    receipts: {
      append: async (entry) => {
        if (entry.kind !== 'call') return 0;
        receipts.push(entry.receipt);
        await options.append?.(entry.receipt);
        return receipts.length;
      },
      get: async () => undefined,
      entriesOf: async () => [],
      list: async () => [],
      read: async () => [],
      lastSeq: async () => receipts.length,
      prune: async () => 0,
      health: { pending: 0, lost: 0 },
    },
    failClosed: false,
    idempotency: inMemoryIdempotency(),
    onInFlight: 'wait',
    retry: options.retry ?? NO_RETRY,
    guard: () => guard,
    cache: options.cache,
    events,
  };
  return { deps, catalog, observedPhases, calls, receipts, stored, events: published };
}

/** An idempotency store for one process that never crashes. */
function inMemoryIdempotency(): IdempotencyStore {
  const rows = new Map<string, { callId: string; inputHash: string; state: string; result?: string }>();
  const change = (scope: string, callId: string, state: string, result?: string): boolean => {
    const row = rows.get(scope);
    if (row?.callId !== callId) return false;
    if (state === 'free') rows.delete(scope);
    else rows.set(scope, { ...row, state, ...(result !== undefined && { result }) });
    return true;
  };
  return {
    claim: async ({ scope, callId, inputHash }) => {
      const row = rows.get(scope);
      if (row) return { ...row, state: row.state === 'claimed' ? 'running' : row.state } as ClaimResult;
      rows.set(scope, { callId, inputHash, state: 'claimed' });
      return { state: 'acquired' };
    },
    recordIntent: async (scope, callId) => change(scope, callId, 'running'),
    confirm: async (scope, callId) => rows.get(scope)?.callId === callId,
    complete: async (scope, callId, result) => void change(scope, callId, 'done', result),
    release: async (scope, callId) => void change(scope, callId, 'free'),
    markUnknown: async (scope, callId) => void change(scope, callId, 'unknown'),
    stopWaiting: async () => {},
    findLost: async () => [],
    markReported: async () => {},
    listUnresolved: async () => [],
    resolve: async () => false,
  };
}

type CallerParts = Partial<Omit<Caller, 'sessionId'>> & { readonly sessionId?: string | undefined };
export type TestRequest = Partial<CallRequest> & CallerParts;

/** A request, from parts of the request and of its caller. */
export function callRequest(parts: TestRequest = {}): CallRequest {
  const {
    principal = LOCAL_USER,
    client,
    sessionId,
    trace,
    credential,
    transport,
    surface,
    ...request
  } = parts;
  const caller = createCaller(principal, {
    surface: surface ?? 'test',
    ...(client !== undefined && { client }),
    ...(sessionId !== undefined && { sessionId }),
    ...(trace && { trace }),
    ...(credential !== undefined && { credential }),
    ...(transport && { transport }),
  });
  return { caller, tool: ECHO_ID, args: { message: 'hello' }, ...request };
}

export type SendParts = TestRequest & CallHandles;

/** Invokes a call, from parts of its request and of its handles. */
export function send(deps: CallDependencies, parts: SendParts = {}): Promise<Outcome> {
  const { signal, cancelled, onProgress, ...request } = parts;
  const handles = {
    ...(signal && { signal }),
    ...(cancelled && { cancelled }),
    ...(onProgress && { onProgress }),
  };
  return invoke(deps, callRequest(request), { handles });
}
