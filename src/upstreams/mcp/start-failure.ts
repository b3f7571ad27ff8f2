import type { Fault } from '../../contract/errors.ts';
import { ConnectFailed } from './connect.ts';
import type { McpTarget } from './target.ts';

export interface StartFailure {
  readonly kind: 'unavailable' | 'needs_credentials' | 'invalid';
  /** For the operator: may name the command and what the child printed, never a header or an environment value. */
  readonly reason: string;
}

/** Says what is wrong with an upstream in a sentence that tells where to look. */
export function startFailure(fault: Fault, thrown: unknown, target: McpTarget): StartFailure {
  const printed = thrown instanceof ConnectFailed && thrown.stderr ? ` (it printed: ${thrown.stderr})` : '';
  if (fault.code === 'UPSTREAM_AUTH_FAILED' || fault.code === 'AUTHORIZATION_DENIED') {
    return { kind: 'needs_credentials', reason: 'the server wants credentials, or other ones' };
  }
  if (fault.code === 'DEADLINE_EXCEEDED') {
    return { kind: 'unavailable', reason: `the server did not answer in time${printed}` };
  }
  if (isMissingCommand(thrown) && target.kind === 'stdio') {
    return { kind: 'unavailable', reason: `command not found: ${target.command}` };
  }
  if (fault.code === 'UPSTREAM_UNAVAILABLE') {
    const what =
      target.kind === 'stdio' ? 'the process ended before it answered' : 'the address does not answer';
    return { kind: 'unavailable', reason: `${what}${printed}` };
  }
  return { kind: 'invalid', reason: `the server does not speak the protocol: ${fault.message}${printed}` };
}

function isMissingCommand(thrown: unknown): boolean {
  const cause = thrown instanceof ConnectFailed ? thrown.cause : thrown;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
