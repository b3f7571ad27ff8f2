import { describe, expect, it } from 'vitest';
import {
  admissionOf,
  callRequest,
  ECHO,
  ECHO_ID,
  ECHO_RESULT,
  NAMESPACE,
  type RecordingDepsOptions,
  recordingDeps,
  type SendParts,
  send,
} from '../../test/recording-deps.ts';
import type { Outcome } from '../contract/call/outcome.ts';
import { PHASES, type Phase } from '../contract/call/phase.ts';
import type { ToolResult } from '../contract/call/tool-result.ts';
import { describeError, ERROR_CODES, type ErrorCode } from '../contract/errors/catalogue.ts';
import { Fault } from '../contract/errors/fault.ts';
import type { Rule } from '../governance/rule.ts';
import { requiredScopes } from '../governance/rules/required-scopes.ts';
import type { CallDependencies } from './dependencies.ts';
import { invoke } from './invoke.ts';
import { executeCall } from './phases/execute.ts';
import { validateCall } from './phases/validate.ts';
import { verifyCall } from './phases/verify.ts';
import type { AuthorizedCall, RequestedCall, ValidatedCall } from './states.ts';

// Each phase accepts only the state that the phase before it makes. Compiled, never run.
void ((
  deps: CallDependencies,
  requested: RequestedCall,
  validated: ValidatedCall,
  authorized: AuthorizedCall,
) => {
  // @ts-expect-error: a call that was not authorized cannot be executed
  void executeCall(deps, validated);
  // @ts-expect-error: a call that was not validated cannot be executed
  void executeCall(deps, requested);
  // @ts-expect-error: a result without an executed call cannot be verified
  void verifyCall(deps, { ...authorized, result: ECHO_RESULT });
  // @ts-expect-error: the request phase cannot be skipped
  validateCall({ record: requested.record, contract: requested.contract, deadline: 0 });
});

const STRUCTURED = {
  ...ECHO,
  outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};
const answering = (result: Partial<ToolResult>) => async (): Promise<ToolResult> => ({
  content: [],
  isError: false,
  ...result,
});
const failing = (thrown: unknown) => async (): Promise<ToolResult> => {
  throw thrown;
};
const ruleWith = (effect: 'allow' | 'deny' | 'ask'): Rule => ({
  name: `${effect}-rule`,
  evaluate: () => ({ effect, text: 'because' }),
});
const throwingRule: Rule = {
  name: 'throws',
  evaluate: () => {
    throw new Error('private');
  },
};
function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = { n: value };
  return value;
}

interface Row {
  readonly case: string;
  readonly phase: Phase;
  readonly code: ErrorCode;
  readonly variant?: string;
  readonly deps?: RecordingDepsOptions;
  readonly call?: SendParts;
  readonly message: RegExp;
  /** The observed phases, where they are not all phases up to this one. */
  readonly observed?: readonly Phase[];
  /** The last phase passed: a tool that reports an error is returned, not thrown. */
  readonly passed?: true;
  readonly isHidden?: true;
}

const team = { profile: 'team' } as const;
const ROWS: readonly Row[] = [
  {
    case: 'no such tool',
    phase: 'request',
    code: 'TOOL_NOT_FOUND',
    call: { tool: 'shop:gone@1' },
    message: /^No such tool\. Find one with tool_browse: the catalog may have changed\.$/,
  },
  {
    case: 'no such tool by path',
    phase: 'request',
    code: 'TOOL_NOT_FOUND',
    call: { tool: '/shop/gone' },
    message: /^No such tool\. Find one/,
  },
  {
    case: 'a malformed tool id',
    phase: 'request',
    code: 'TOOL_NOT_FOUND',
    call: { tool: '\u0000::' },
    message: /^No such tool\. Find one/,
  },
  {
    case: 'a tool that the caller may not see',
    isHidden: true,
    phase: 'request',
    code: 'TOOL_NOT_FOUND',
    deps: { visibility: 'internal' },
    message: /^No such tool\. Find one/,
  },
  {
    case: 'a tool whose schema the catalog refused',
    phase: 'request',
    code: 'SCHEMA_INVALID',
    deps: { tools: [{ ...ECHO, inputSchema: { $ref: 'https://elsewhere.example/schema' } }] },
    message: /refused by the catalog: input schema: a \$ref leads outside/,
  },
  {
    case: 'a stream called for one result',
    phase: 'request',
    code: 'WRONG_OPERATION_TYPE',
    deps: { tools: [{ ...ECHO, declared: { operation: 'subscription' } }] },
    message: /stream/,
  },
  {
    case: 'an invalid input schema',
    phase: 'validate',
    code: 'SCHEMA_INVALID',
    deps: { tools: [{ ...ECHO, inputSchema: { type: 'nonsense' } }] },
    message: /cannot be called safely/,
  },
  {
    case: 'arguments that are not an object',
    phase: 'validate',
    code: 'INVALID_INPUT',
    call: { args: 'message=hello' },
    message: /^\/: expected object\.$/,
  },
  {
    case: 'missing arguments',
    phase: 'validate',
    code: 'INVALID_INPUT',
    call: { args: undefined },
    message: /^\/: expected object\.$/,
  },
  {
    case: 'a missing argument',
    phase: 'validate',
    code: 'INVALID_INPUT',
    call: { args: {} },
    message: /property "message"/,
  },
  {
    case: 'an unknown argument',
    phase: 'validate',
    code: 'INVALID_INPUT',
    call: { args: { message: 'hello', loud: true } },
    message: /no property "loud"/,
  },
  {
    case: 'arguments nested too deep',
    phase: 'validate',
    code: 'INVALID_INPUT',
    call: { args: nested(65) },
    message: /nesting of at most 64/,
  },
  {
    case: 'a required scope that the caller lacks',
    isHidden: true,
    phase: 'request',
    code: 'TOOL_NOT_FOUND',
    deps: team,
    message: /^No such tool\. Find one/,
  },
  {
    case: 'a rule that denies what another allows',
    isHidden: true,
    phase: 'request',
    code: 'TOOL_NOT_FOUND',
    deps: { rules: [ruleWith('allow'), ruleWith('deny')] },
    message: /^No such tool\. Find one/,
  },
  {
    case: 'a rule that denies this call',
    phase: 'authorize',
    code: 'AUTHORIZATION_DENIED',
    deps: { rules: [ruleWith('allow'), { ...ruleWith('deny'), perCall: true }] },
    message: /^Denied by deny-rule: because\.$/,
  },
  {
    case: 'a rule that cannot be evaluated',
    phase: 'authorize',
    code: 'AUTHORIZATION_DENIED',
    deps: { rules: [ruleWith('allow'), { ...throwingRule, perCall: true }] },
    message: /^Denied by throws: the rule could not be evaluated\.$/,
  },
  {
    case: 'no rule that applies',
    phase: 'authorize',
    code: 'AUTHORIZATION_DENIED',
    deps: { rules: [{ name: 'silent', perCall: true, evaluate: () => undefined }] },
    message: /^Denied by default: no rule allows this\.$/,
  },
  {
    case: 'an upstream that is no longer configured',
    phase: 'execute',
    code: 'UPSTREAM_UNAVAILABLE',
    deps: { isConfigured: false },
    message: /no longer configured/,
    observed: ['request', 'authorize'],
  },
  {
    case: 'a deadline that has passed',
    phase: 'execute',
    code: 'DEADLINE_EXCEEDED',
    call: { deadline: 1 },
    message: /did not answer before the deadline/,
    observed: ['request', 'authorize'],
  },
  {
    case: 'a caller that has disconnected',
    phase: 'execute',
    code: 'CANCELLED',
    call: { signal: AbortSignal.abort() },
    message: /The caller cancelled the call/,
    observed: ['request', 'authorize'],
  },
  ...ERROR_CODES.map(
    (code): Row => ({
      case: `an upstream that fails with ${code}`,
      phase: 'execute',
      code,
      deps: { answer: failing(new Fault(code, 'our message', { cause: 'their message' })) },
      message: /^our message$/,
    }),
  ),
  {
    case: 'an upstream that throws an unexpected error',
    phase: 'execute',
    code: 'INTERNAL_TOOL_ERROR',
    deps: { answer: failing(new TypeError('x is not a function')) },
    message: /^The call failed inside the gateway\. The log holds the cause\.$/,
  },
  {
    case: 'an output that violates its schema',
    phase: 'verify',
    code: 'INTERNAL_TOOL_ERROR',
    deps: { tools: [STRUCTURED], answer: answering({ structured: { n: 'seven' } }) },
    message: /does not match its output schema/,
    observed: ['request', 'authorize', 'execute'],
  },
  {
    case: 'a result without the required structured output',
    phase: 'verify',
    code: 'INTERNAL_TOOL_ERROR',
    deps: { tools: [STRUCTURED], answer: answering({}) },
    message: /lacks the structured output/,
    observed: ['request', 'authorize', 'execute'],
  },
  {
    case: 'a result that is nested too deep',
    phase: 'verify',
    code: 'UPSTREAM_FAILURE',
    deps: { answer: answering({ structured: nested(257) }) },
    message: /nested too deep/,
    observed: ['request', 'authorize', 'execute'],
  },
  {
    case: 'a firewall that throws',
    phase: 'verify',
    code: 'INTERNAL_TOOL_ERROR',
    deps: {
      countTokens: () => {
        throw new Error('private');
      },
    },
    message: /^The call failed inside the gateway/,
  },
  {
    case: 'a tool that reports an error',
    phase: 'return',
    code: 'UPSTREAM_FAILURE',
    variant: 'tool',
    deps: { answer: answering({ content: [{ type: 'text', text: 'no such file' }], isError: true }) },
    message: /^The tool reported an error\.$/,
    passed: true,
  },
];

/** The phases that use a recorded dependency; Validate and Return use none. */
const OBSERVABLE: readonly Phase[] = ['request', 'authorize', 'execute', 'verify'];

function upTo(phase: Phase): Phase[] {
  return PHASES.slice(0, PHASES.indexOf(phase) + 1);
}

function failure(outcome: Outcome): Extract<Outcome, { status: 'failed' }> {
  if (outcome.status !== 'failed') throw new Error(`The call ended with status ${outcome.status}.`);
  return outcome;
}

describe('invoke fails', () => {
  it.each(ROWS)('in $phase with $code for $case', async (row) => {
    const { deps, observedPhases, receipts, events } = recordingDeps(row.deps);
    const outcome = failure(await send(deps, row.call));
    expect(outcome.error).toMatchObject({
      code: row.code,
      variant: row.variant,
      // The tool writes: once it was called, its effect may have happened.
      retryable: observedPhases.includes('execute') ? false : describeError(row.code, row.variant).retryable,
    });
    expect(outcome.error.message).toMatch(row.message);

    // No later phase ran.
    expect(observedPhases).toEqual(
      row.observed ?? OBSERVABLE.filter((phase) => upTo(row.phase).includes(phase)),
    );

    const phases = events.filter((event) => event.type === 'phase');
    expect(phases.map(({ phase }) => phase)).toEqual(upTo(row.phase));
    expect(phases.map(({ passed }) => passed)).toEqual([
      ...upTo(row.phase)
        .slice(1)
        .map(() => true),
      row.passed ?? false,
    ]);

    expect(receipts).toHaveLength(1);
    expect(receipts[0]).toMatchObject({
      callId: outcome.callId,
      status: 'failed',
      errorCode: row.code,
      phase: row.phase,
      inputHash: PHASES.indexOf(row.phase) > PHASES.indexOf('validate') ? expect.any(String) : null,
    });
    // The receipt of a tool that is hidden from the caller has the decision that hides it.
    const hasDecision = row.isHidden || PHASES.indexOf(row.phase) >= PHASES.indexOf('authorize');
    expect(receipts[0]!.decision === null).toBe(!hasDecision);
  });

  it('in every phase in at least one row', () => {
    expect(PHASES.filter((phase) => !ROWS.some((row) => row.phase === phase))).toEqual([]);
  });
});

describe('invoke', () => {
  it('publishes the phases in order and writes one receipt', async () => {
    const { deps, observedPhases, calls, receipts, events } = recordingDeps();
    const request = callRequest({ idempotencyKey: 'k1' });
    const outcome = await invoke(deps, request);
    expect(outcome).toMatchObject({
      status: 'ok',
      traceId: request.caller.trace.traceId,
      view: { kind: 'whole', content: ECHO_RESULT.content },
      provenance: { toolId: ECHO_ID, upstream: NAMESPACE, source: 'compute' },
    });
    expect(events.map((event) => (event.type === 'phase' ? event.phase : event.type))).toEqual([
      'started',
      ...PHASES,
      'ended',
    ]);
    expect(events.filter((event) => event.type === 'phase').every(({ passed }) => passed)).toBe(true);
    expect(observedPhases).toEqual(OBSERVABLE);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ toolName: 'echo', version: '1.0.0', args: { message: 'hello' } });
    expect(calls[0]!.trace).toBe(request.caller.trace);
    expect(receipts).toEqual([
      {
        callId: outcome.callId,
        traceId: request.caller.trace.traceId,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        principalId: 'local',
        tenant: null,
        client: null,
        surface: 'test',
        operation: 'mutation',
        requested: ECHO_ID,
        toolId: ECHO_ID,
        toolVersion: '1.0.0',
        toolDigest: deps.catalog.snapshot.get('tool', ECHO_ID)!.digest,
        mutation: 'write_reversible',
        sideEffects: [],
        // SHA-256 of {"message":"hello"}
        inputHash: '9b2d43affbf49a367028df2e1414f84c0e099ac98c3d54a8a80157fd7771af25',
        sentHash: '9b2d43affbf49a367028df2e1414f84c0e099ac98c3d54a8a80157fd7771af25',
        outputSummary: {
          parts: 1,
          bytes: expect.any(Number),
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        approvalId: null,
        credential: null,
        transport: 'in_process',
        decision: {
          effect: 'allow',
          reasons: [{ rule: 'required-scopes', effect: 'allow', text: 'the tool requires no scope' }],
          obligations: [],
        },
        status: 'ok',
        errorCode: null,
        phase: 'return',
        durationMs: outcome.timing.durationMs,
        idempotencyKey: 'k1',
        source: 'compute',
        attempts: 1,
      },
    ]);
    const ended = events.at(-1);
    expect(ended).toMatchObject({ type: 'ended', cause: undefined });
    expect(ended?.type === 'ended' && ended.receipt).toBe(receipts[0]);
  });

  it('resolves a tool that is named by its path', async () => {
    const { deps, receipts } = recordingDeps();
    expect((await send(deps, { tool: '/shop/echo' })).status).toBe('ok');
    expect(receipts[0]).toMatchObject({ requested: '/shop/echo', toolId: ECHO_ID });
  });

  it('passes on progress', async () => {
    const received: unknown[] = [];
    const { deps } = recordingDeps({
      answer: async ({ onProgress }) => {
        onProgress?.({ progress: 1, total: 2 });
        return ECHO_RESULT;
      },
    });
    await send(deps, { onProgress: (progress) => received.push(progress) });
    expect(received).toEqual([{ progress: 1, total: 2 }]);
  });

  it('cuts a long tool reference in the receipt', async () => {
    const { deps, receipts } = recordingDeps();
    await send(deps, { tool: 'x'.repeat(10_000) });
    expect(receipts[0]!.requested).toBe('x'.repeat(300));
  });
});

describe('invoke writes exactly one receipt', () => {
  it('when the receipt store fails: the outcome is returned and the trouble is reported', async () => {
    const diskFull = new Error('disk full');
    const { deps, events, receipts, calls } = recordingDeps({
      append: async () => {
        throw diskFull;
      },
    });
    const outcome = await send(deps);
    expect(outcome.status).toBe('ok');
    expect(calls).toHaveLength(1);
    expect(receipts).toHaveLength(1);
    expect(events.slice(-2)).toMatchObject([
      { type: 'trouble', callId: outcome.callId, what: 'receipt not stored', cause: diskFull },
      { type: 'ended' },
    ]);
  });

  it('when the receipt store fails after a refusal: the refusal is returned and the trouble is reported', async () => {
    const { deps, events } = recordingDeps({ append: failing(new Error('disk full')) as never });
    const outcome = failure(await send(deps, { args: {} }));
    expect(outcome.error.code).toBe('INVALID_INPUT');
    expect(events.filter(({ type }) => type === 'trouble')).toHaveLength(1);
  });

  it('when artifacts cannot be stored: the whole result is returned and the trouble is reported', async () => {
    const { deps, events, receipts } = recordingDeps({
      countTokens: () => 1_000_000,
      put: failing(new Error('disk full')) as never,
    });
    const outcome = await send(deps);
    expect(outcome).toMatchObject({ status: 'ok', view: { kind: 'whole', content: ECHO_RESULT.content } });
    expect(events.filter(({ type }) => type === 'trouble')).toMatchObject([{ what: 'artifacts not stored' }]);
    expect(receipts).toHaveLength(1);
  });

  it.each([undefined, null, 'a string', 0, {}, new Error('x')])(
    'when the upstream throws something that is not a Fault: %o',
    async (thrown) => {
      const { deps, receipts, events } = recordingDeps({ answer: failing(thrown) });
      const outcome = failure(await send(deps));
      expect(outcome.error.code).toBe('INTERNAL_TOOL_ERROR');
      expect(receipts).toMatchObject([{ errorCode: 'INTERNAL_TOOL_ERROR', phase: 'execute' }]);
      const ended = events.at(-1);
      expect(ended?.type === 'ended' && ended.cause).toBe(thrown);
    },
  );

  it('when the upstream throws synchronously', async () => {
    const { deps, receipts } = recordingDeps({
      answer: () => {
        throw new Error('at once');
      },
    });
    expect(failure(await send(deps)).error.code).toBe('INTERNAL_TOOL_ERROR');
    expect(receipts).toHaveLength(1);
  });

  it('when a listener throws: the other listeners get all events', async () => {
    const { deps, receipts, events } = recordingDeps();
    const unsubscribe = deps.events.subscribe(() => {
      throw new Error('broken listener');
    });
    const received: string[] = [];
    deps.events.subscribe(({ type }) => received.push(type));
    expect((await send(deps)).status).toBe('ok');
    expect(receipts).toHaveLength(1);
    expect(received).toEqual(events.map(({ type }) => type));
    unsubscribe();
    await send(deps);
    expect(receipts).toHaveLength(2);
  });

  it('for each of many concurrent calls', async () => {
    const { deps, receipts } = recordingDeps({
      answer: async ({ args }) => {
        if (args.message === 'bad') throw new Error('x');
        return ECHO_RESULT;
      },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        send(deps, {
          args: i % 4 === 0 ? {} : { message: i % 4 === 1 ? 'bad' : 'good' },
          dryRun: i % 4 === 2,
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, i) => (i % 4 < 2 ? 'failed' : i % 4 === 2 ? 'dry_run' : 'ok')),
    );
    expect(new Set(receipts.map(({ callId }) => callId))).toEqual(
      new Set(outcomes.map(({ callId }) => callId)),
    );
    expect(receipts).toHaveLength(40);
  });
});

describe('invoke does not disclose', () => {
  const SECRET = 'sk-private-7f3a';
  it.each([
    ['the cause of a fault', new Fault('UPSTREAM_FAILURE', 'It failed.', { cause: new Error(SECRET) })],
    ['the message of an unexpected error', new Error(SECRET)],
    ['a thrown string', SECRET],
  ])('%s to the caller or the receipt', async (_, thrown) => {
    const { deps, receipts, events } = recordingDeps({ answer: failing(thrown) });
    const outcome = await send(deps);
    expect(JSON.stringify([outcome, receipts])).not.toContain(SECRET);
    const ended = events.at(-1);
    expect(ended?.type === 'ended' && ended.cause).toBe(thrown);
  });

  it('a hidden tool: the error is the same as for a tool that does not exist', async () => {
    const hidden = recordingDeps({ visibility: 'internal' });
    const absent = recordingDeps({ tools: [] });
    for (const tool of [ECHO_ID, '/shop/echo']) {
      for (const more of [{}, { args: 'wrong' }, { dryRun: true, args: undefined }]) {
        const [one, other] = [
          failure(await send(hidden.deps, { tool, ...more })),
          failure(await send(absent.deps, { tool, ...more })),
        ];
        expect(one.error).toEqual(other.error);
        expect(Object.keys(one)).toEqual(Object.keys(other));
      }
    }
    // The receipt is for operators, so it names the tool that was hidden from the caller.
    expect(hidden.receipts[0]).toMatchObject({ toolId: ECHO_ID, errorCode: 'TOOL_NOT_FOUND' });
  });
});

describe('invoke keeps the catalog snapshot of its start', () => {
  it('when the tool changes during the call', async () => {
    const old = { ...STRUCTURED, name: 'echo' };
    const renamed = { ...ECHO, name: 'echo', outputSchema: { type: 'object', required: ['other'] } };
    const swap: Rule = {
      name: 'swap',
      evaluate: () => {
        recorded.catalog.replace(admissionOf([renamed]));
        return { effect: 'allow', text: 'yes' };
      },
    };
    const recorded = recordingDeps({
      tools: [old],
      rules: [swap],
      answer: answering({ structured: { n: 7 } }),
    });
    const digestAtStart = recorded.catalog.snapshot.get('tool', ECHO_ID)!.digest;
    const outcome = await send(recorded.deps);
    expect(outcome.status).toBe('ok');
    expect(recorded.receipts[0]!.toolDigest).toBe(digestAtStart);
    expect(recorded.catalog.snapshot.get('tool', ECHO_ID)!.digest).not.toBe(digestAtStart);
    expect(recorded.calls).toHaveLength(1);
    // The next call is verified against the new output schema.
    expect(failure(await send(recorded.deps)).error.code).toBe('INTERNAL_TOOL_ERROR');
  });

  it('when the tool is removed during the call, and the next call is refused', async () => {
    const recorded = recordingDeps({
      answer: async () => {
        recorded.catalog.replace(admissionOf([]));
        return ECHO_RESULT;
      },
    });
    expect((await send(recorded.deps)).status).toBe('ok');
    expect(recorded.receipts[0]).toMatchObject({ toolId: ECHO_ID, status: 'ok' });
    expect(failure(await send(recorded.deps)).error.code).toBe('TOOL_NOT_FOUND');
    expect(recorded.calls).toHaveLength(1);
  });
});

it('invoke returns a call that needs approval as pending, and sends nothing', async () => {
  const { deps, calls, receipts } = recordingDeps({ rules: [ruleWith('allow'), ruleWith('ask')] });
  const outcome = await send(deps);
  expect(outcome).toMatchObject({
    status: 'pending',
    ticket: { id: outcome.callId, message: expect.stringContaining('A person must approve this call') },
  });
  expect(calls).toEqual([]);
  expect(receipts).toMatchObject([{ status: 'pending', errorCode: null, phase: 'authorize' }]);
});

describe('invoke with dryRun', () => {
  const HINTED = { ...ECHO, hints: { destructive: true, idempotent: false } };

  it('checks arguments and authorization, and reports what the call would do', async () => {
    const { deps, observedPhases, stored, receipts, events } = recordingDeps({ tools: [HINTED] });
    const outcome = await send(deps, { dryRun: true });
    expect(outcome).toEqual({
      status: 'dry_run',
      callId: expect.any(String),
      traceId: expect.any(String),
      timing: { durationMs: expect.any(Number) },
      report: {
        toolId: ECHO_ID,
        upstreamName: 'echo',
        areArgsValid: true,
        hints: { destructive: true, idempotent: false },
        mutation: 'write_irreversible',
        sideEffects: [],
        impact: {
          effect: 'irreversible',
          isDeclared: false,
          isVerifiedAfterwards: false,
          isCompensatedIfWrong: false,
        },
        cost: {},
        idempotencyKey: 'optional',
        needsApproval: false,
        timeoutClass: 'long_running',
        quotaRemaining: [],
        checks: [
          { name: 'schema_validation', status: 'pass' },
          { name: 'authorization', status: 'pass' },
          { name: 'rate_limit', status: 'pass' },
          { name: 'preconditions', status: 'pass' },
          { name: 'upstream', status: 'pass' },
        ],
      },
    });
    expect(observedPhases).toEqual(['request', 'authorize']);
    expect(stored).toEqual([]);
    expect(receipts).toMatchObject([{ status: 'dry_run', errorCode: null, phase: 'authorize' }]);
    expect(events.map((event) => (event.type === 'phase' ? event.phase : event.type))).toEqual([
      'started',
      'request',
      'validate',
      'authorize',
      'ended',
    ]);
  });

  it('returns the input schema when there are no arguments', async () => {
    const { deps, calls, receipts } = recordingDeps();
    const outcome = await send(deps, { dryRun: true, args: undefined });
    expect(outcome).toMatchObject({
      status: 'dry_run',
      report: {
        areArgsValid: null,
        inputSchema: ECHO.inputSchema,
        checks: [
          { name: 'schema_validation', status: 'skipped' },
          { name: 'authorization', status: 'pass' },
          { name: 'rate_limit', status: 'pass' },
          { name: 'preconditions', status: 'pass' },
          { name: 'upstream', status: 'pass' },
        ],
      },
    });
    expect(calls).toHaveLength(0);
    expect(receipts).toMatchObject([{ status: 'dry_run', inputHash: null }]);
  });

  it.each([
    ['invalid arguments', { args: {} }, {}, 'INVALID_INPUT'],
    ['null as arguments', { args: null }, {}, 'INVALID_INPUT'],
    ['a caller without the scope', {}, team, 'TOOL_NOT_FOUND'],
    ['a caller without the scope that asks for the schema', { args: undefined }, team, 'TOOL_NOT_FOUND'],
    ['a tool that does not exist', { tool: 'shop:gone@1' }, {}, 'TOOL_NOT_FOUND'],
  ] as const)('refuses %s like a real call', async (_, more, options, code) => {
    const { deps, calls, receipts } = recordingDeps(options);
    expect(failure(await send(deps, { dryRun: true, ...more })).error.code).toBe(code);
    expect(calls).toHaveLength(0);
    expect(receipts).toHaveLength(1);
  });

  it('accepts a caller that holds the required scope', async () => {
    const { deps } = recordingDeps({ tools: [ECHO], rules: [requiredScopes], profile: 'team' });
    const principal = { ...callRequest().caller.principal, scopes: ['tools:write'] };
    expect((await send(deps, { dryRun: true, principal })).status).toBe('dry_run');
  });
});

describe('invoke with a result', () => {
  it('that violates its output schema fails, and the error states that the tool ran', async () => {
    const { deps, calls } = recordingDeps({
      tools: [STRUCTURED],
      answer: answering({ structured: { n: 1.5 } }),
    });
    const outcome = failure(await send(deps));
    expect(calls).toHaveLength(1);
    expect(outcome.error.message).toContain('The tool ran');
    expect(outcome.error.details).toEqual({
      errors: [{ path: '/n', rule: 'type', expected: 'integer' }],
      effect: 'done',
    });
    expect(outcome.provenance).toMatchObject({ toolId: ECHO_ID, source: 'compute' });
    expect(outcome.view).toBeUndefined();
  });

  it('that matches its output schema returns it', async () => {
    const { deps } = recordingDeps({ tools: [STRUCTURED], answer: answering({ structured: { n: 7 } }) });
    expect(await send(deps)).toMatchObject({ status: 'ok', view: { structured: { n: 7 } } });
  });

  it('that reports an error returns it without checking its schema', async () => {
    const content = [{ type: 'text', text: 'no such file' }] as const;
    const { deps, receipts } = recordingDeps({
      tools: [STRUCTURED],
      answer: answering({ content, isError: true }),
    });
    const outcome = failure(await send(deps));
    expect(outcome.error).toMatchObject({ code: 'UPSTREAM_FAILURE', variant: 'tool', retryable: false });
    expect(outcome.view).toEqual({ kind: 'whole', content });
    expect(outcome.provenance).toMatchObject({ toolId: ECHO_ID });
    expect(receipts).toMatchObject([{ status: 'failed', errorCode: 'UPSTREAM_FAILURE', phase: 'return' }]);
  });
});
