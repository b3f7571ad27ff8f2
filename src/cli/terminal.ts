import type { UpstreamStatus } from '../contract/upstream-state.ts';

/** Where a command writes: answers to one stream, everything else to the other. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export function print({ stdout }: Terminal, text: string): void {
  stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(terminal: Terminal, value: unknown): void {
  print(terminal, JSON.stringify(value, null, 2));
}

export function say({ stderr }: Terminal, text: string): void {
  stderr.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** One line for each upstream as it comes up or does not. */
export function upstreamLine({ namespace, state, tools, load }: UpstreamStatus): string {
  switch (state.kind) {
    case 'ready':
      if (load && load.circuit !== 'closed')
        return `  ! ${namespace}  left alone for a while: its calls failed again and again`;
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
