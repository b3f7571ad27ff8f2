import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { Fault } from '../../../contract/errors/fault.ts';
import { ConnectFailed, type ConnectOptions } from './connect.ts';
import type { StdioTarget } from './target.ts';

export interface StartFailure {
  readonly kind: 'unavailable' | 'needs_credentials' | 'invalid';
  /** For the operator. May contain the command and the child's stderr, never a header or an environment value. */
  readonly reason: string;
  /** When to try again where only a person can correct the failure; undefined where time may. */
  readonly retryAfterMs?: number;
}

/** Some servers lock an account after a few attempts with wrong credentials. */
const CREDENTIALS_RETRY_MS = 300_000;
const COMMAND_RETRY_MS = 60_000;

/** Explains to the operator why an upstream did not start and what to correct. */
export function startFailure(
  fault: Fault,
  thrown: unknown,
  { target, era }: Pick<ConnectOptions, 'target' | 'era'>,
): StartFailure {
  const stderr = thrown instanceof ConnectFailed ? thrown.stderrTail : '';
  // The last line of stderr explains more than general advice, and the state has space for one of them.
  const advise = (advice: string): string => (stderr ? ` (it printed: ${stderr})` : `; ${advice}`);
  if (fault.code === 'UPSTREAM_AUTH_FAILED' || fault.code === 'AUTHORIZATION_DENIED') {
    return {
      kind: 'needs_credentials',
      reason: 'the server requires valid credentials; set them in its headers or env',
      retryAfterMs: CREDENTIALS_RETRY_MS,
    };
  }
  if (target.kind === 'stdio') {
    const reason = spawnFailure(thrown, target);
    if (reason) return { kind: 'unavailable', reason, retryAfterMs: COMMAND_RETRY_MS };
  }
  if (era !== 'auto' && isEraRefused(thrown)) {
    return {
      kind: 'invalid',
      reason: `the server did not accept era ${era}${advise('set its era to auto')}`,
    };
  }
  if (fault.code === 'DEADLINE_EXCEEDED') {
    const advice = advise('check that it runs, or raise startTimeoutMs');
    return { kind: 'unavailable', reason: `the server did not answer in time${advice}` };
  }
  if (fault.code === 'RATE_LIMITED') {
    return {
      kind: 'unavailable',
      reason: 'the server limits the rate of connections (HTTP 429); the gateway retries',
    };
  }
  if (fault.code === 'UPSTREAM_UNAVAILABLE') {
    const reason =
      target.kind === 'stdio'
        ? `the process exited before it answered${advise('run its command in a terminal to see why')}`
        : 'the server is unreachable; check its url and that it runs';
    return { kind: 'unavailable', reason };
  }
  return { kind: 'invalid', reason: stderr ? `${fault.message} It printed: ${stderr}` : fault.message };
}

function isEraRefused(thrown: unknown): boolean {
  const cause = thrown instanceof ConnectFailed ? thrown.cause : undefined;
  if (cause instanceof ProtocolError) return true;
  if (cause instanceof SdkHttpError) return cause.status === 400;
  return cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed;
}

function spawnFailure(thrown: unknown, { command, cwd }: StdioTarget): string | undefined {
  const cause = thrown instanceof ConnectFailed ? thrown.cause : thrown;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EACCES') return `permission denied to run ${command}; make it executable`;
  if (code !== 'ENOENT') return undefined;
  // ENOENT has the same form for a missing command and for a missing working directory.
  return cwd
    ? `command or folder not found: ${command} in ${cwd}; correct "command" or "cwd"`
    : `command not found: ${command}; install it or correct "command"`;
}
