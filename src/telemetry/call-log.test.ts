import { describe, expect, it } from 'vitest';
import { ECHO_RESULT, recordingDeps, type SendParts, send } from '../../test/recording-deps.ts';
import { Fault } from '../contract/errors/fault.ts';
import { logCalls } from './call-log.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function logCall(options: Parameters<typeof recordingDeps>[0], more: SendParts = {}): Promise<Line[]> {
  const lines: Line[] = [];
  const write =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, message, fields: { ...fields } });
  const { deps } = recordingDeps(options);
  deps.events.subscribe(
    logCalls({ debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }),
  );
  await send(deps, more);
  return lines;
}

const failing = (thrown: unknown) => async (): Promise<never> => {
  throw thrown;
};

describe('logCalls', () => {
  it('logs one line for a successful call, with fields of the receipt and no arguments', async () => {
    const lines = await logCall({}, { args: { message: 'private words' } });
    expect(lines).toMatchObject([
      {
        level: 'info',
        message: 'call ended',
        fields: {
          status: 'ok',
          errorCode: null,
          phase: 'return',
          toolId: 'shop:echo@1.0.0',
          principalId: 'local',
          surface: 'test',
          source: 'compute',
          attempts: 1,
          callId: expect.any(String),
          traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
          durationMs: expect.any(Number),
        },
      },
    ]);
    expect(lines[0]!.fields).not.toHaveProperty('err');
    expect(JSON.stringify(lines)).not.toContain('private words');
  });

  it('logs a dry run at info, without an error', async () => {
    const [line] = await logCall({}, { dryRun: true });
    expect(line).toMatchObject({ level: 'info', fields: { status: 'dry_run' } });
    expect(line!.fields).not.toHaveProperty('err');
  });

  it('logs a refused call as a warning, without the fault', async () => {
    const [line] = await logCall({}, { args: {} });
    expect(line).toMatchObject({
      level: 'warn',
      message: 'call failed',
      fields: { errorCode: 'INVALID_INPUT' },
    });
    expect(line!.fields).not.toHaveProperty('err');
  });

  it('logs the private cause of a fault by type, code and stack, and its message at debug only', async () => {
    const cause = Object.assign(new Error('connect to private words'), { code: 'ECONNREFUSED' });
    const [line, detail] = await logCall({
      answer: failing(new Fault('UPSTREAM_UNAVAILABLE', 'gone', { cause })),
    });
    expect(line).toMatchObject({
      level: 'warn',
      fields: {
        errorCode: 'UPSTREAM_UNAVAILABLE',
        err: { type: 'Error', code: 'ECONNREFUSED', stack: expect.stringContaining('call-log.test.ts') },
      },
    });
    expect(JSON.stringify(line)).not.toContain('private words');
    expect(detail).toMatchObject({ level: 'debug', fields: { callId: line!.fields.callId } });
    expect(detail!.fields.err).toBe(cause);
  });

  it('logs a line for every retry, with the error code of the attempt before', async () => {
    let tries = 0;
    const lines = await logCall({
      retry: {
        maxAttempts: 3,
        baseDelayMs: 1,
        maxDelayMs: 1,
        codes: ['UPSTREAM_UNAVAILABLE', 'RATE_LIMITED'],
      },
      answer: async () => {
        const code = (['UPSTREAM_UNAVAILABLE', 'RATE_LIMITED'] as const)[tries++];
        if (code) throw new Fault(code, 'private words', { effect: 'none' });
        return ECHO_RESULT;
      },
    });
    const { callId } = lines.at(-1)!.fields;
    expect(lines.slice(0, -1)).toEqual([
      {
        level: 'info',
        message: 'call retried',
        fields: { callId, attempt: 2, errorCode: 'UPSTREAM_UNAVAILABLE' },
      },
      {
        level: 'info',
        message: 'call retried',
        fields: { callId, attempt: 3, errorCode: 'RATE_LIMITED' },
      },
    ]);
  });

  it('logs an unexpected exception as an error', async () => {
    const bug = new TypeError('private words is not a function');
    const [line, detail] = await logCall({ answer: failing(bug) });
    expect(line).toMatchObject({
      level: 'error',
      fields: { errorCode: 'INTERNAL_TOOL_ERROR', err: { type: 'TypeError' } },
    });
    expect(JSON.stringify(line)).not.toContain('private words');
    expect(detail!.fields.err).toBe(bug);
  });

  it('logs trouble beside the call before the end of the call', async () => {
    const full = new Error('disk full');
    const lines = await logCall({ append: failing(full) });
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'receipt not stored'],
      ['debug', 'error cause'],
      ['info', 'call ended'],
    ]);
    expect(lines[0]!.fields.err).toMatchObject({ type: 'Error' });
  });

  it('logs a contract violation', () => {
    const lines: unknown[] = [];
    const write = (fields: object, message: string): void => void lines.push([fields, message]);
    const listener = logCalls({ debug: write, info: write, warn: write, error: write });
    listener({ type: 'violation', callId: 'c', toolId: 'shop:echo@1.0.0', what: 'it wrote' });
    expect(lines).toEqual([
      [{ callId: 'c', toolId: 'shop:echo@1.0.0', what: 'it wrote' }, 'contract violation'],
    ]);
  });
});
