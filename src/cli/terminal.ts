import { escapeHidden, plainText } from '../base/text/plain-text.ts';
import type { UpstreamStatus } from '../contract/upstream-state.ts';

/** The streams of a command: results go to stdout, everything else to stderr. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Prints text. Whoever wrote it, the terminal gets no control and no hidden character. */
export function print({ stdout }: Terminal, text: string): void {
  stdout.write(plainText(text.endsWith('\n') ? text : `${text}\n`));
}

/** Prints JSON with control and hidden characters escaped: a program reads the same value. */
export function printJson(terminal: Terminal, value: unknown, space = 2): void {
  print(terminal, escapeHidden(JSON.stringify(value, null, space)));
}

export function printStderr({ stderr }: Terminal, text: string): void {
  stderr.write(plainText(text.endsWith('\n') ? text : `${text}\n`));
}

/** Formats the state of an upstream as one line. */
export function upstreamLine({ namespace, state, tools, load }: UpstreamStatus): string {
  switch (state.kind) {
    case 'ready':
      if (load && load.circuit !== 'closed')
        return `  ! ${namespace}  circuit ${load.circuit.replace('_', '-')} after repeated failures`;
      return `  ✓ ${namespace}  ${tools} ${tools === 1 ? 'tool' : 'tools'}  (${state.protocol})`;
    case 'starting':
      return `  … ${namespace}  starting`;
    case 'stopped':
      return `  – ${namespace}  stopped`;
    case 'needs_credentials':
      return `  ✗ ${namespace}  needs credentials: ${state.reason}`;
    default:
      return `  ✗ ${namespace}  ${state.kind}: ${state.reason}`;
  }
}
