import type { Fault } from '../../../contract/errors/fault.ts';
import { ConnectFailed } from './connect.ts';
import type { McpTarget } from './target.ts';

export interface StartFailure {
  readonly kind: 'unavailable' | 'needs_credentials' | 'invalid';
  /** For the operator: may name the command and what the child printed, never a header or an environment value. */
  readonly reason: string;
}

/** Says what is wrong with an upstream in a sentence that tells where to look. */
export function startFailure(fault: Fault, thrown: unknown, target: McpTarget): StartFailure {
  const words = thrown instanceof ConnectFailed ? thrown.stderrTail : '';
  const printed = words ? ` (it printed: ${words})` : '';
  if (fault.code === 'UPSTREAM_AUTH_FAILED' || fault.code === 'AUTHORIZATION_DENIED') {
    return { kind: 'needs_credentials', reason: 'the server wants credentials, or other ones' };
  }
  if (target.kind === 'stdio') {
    const wrong = wrongCommand(thrown, target.command, target.cwd);
    if (wrong) return { kind: 'unavailable', reason: wrong };
  }
  if (fault.code === 'DEADLINE_EXCEEDED') {
    return { kind: 'unavailable', reason: `the server did not answer in time${printed}` };
  }
  if (fault.code === 'RATE_LIMITED') {
    return { kind: 'unavailable', reason: 'the server takes no more connections for now' };
  }
  if (fault.code === 'UPSTREAM_UNAVAILABLE') {
    const what =
      target.kind === 'stdio' ? 'the process ended before it answered' : 'the address does not answer';
    return { kind: 'unavailable', reason: `${what}${printed}` };
  }
  return { kind: 'invalid', reason: `the server does not speak the protocol: ${fault.message}${printed}` };
}

function wrongCommand(thrown: unknown, command: string, cwd: string | undefined): string | undefined {
  const cause = thrown instanceof ConnectFailed ? thrown.cause : thrown;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // The system does not tell which of the two is missing.
  if (code === 'ENOENT') return `command not found: ${command}${cwd ? `, or no such folder: ${cwd}` : ''}`;
  return code === 'EACCES' ? `command must not be run: ${command}` : undefined;
}
