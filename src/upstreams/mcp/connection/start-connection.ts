import { type Connection, type ConnectOptions, connect } from './connect.ts';
import { type StartHistory, startLimits } from './start-limits.ts';
import type { StartQueue } from './start-queue.ts';

export interface StartOptions extends StartHistory, Omit<ConnectOptions, 'signal' | 'probeTimeoutMs'> {
  readonly starts: StartQueue;
  /** Aborts the attempt, also while it waits for its turn. */
  readonly stopped: AbortSignal;
}

/** One attempt to connect, within its time limit. That of a process begins with its turn to start. */
export function startConnection(options: StartOptions): Promise<Connection> {
  const { target, starts, stopped } = options;
  const attempt = (): Promise<Connection> => {
    const { timeoutMs, probeTimeoutMs } = startLimits(options);
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
    return connect({ ...options, signal, probeTimeoutMs });
  };
  return target.kind === 'stdio' ? starts.run(attempt, stopped) : attempt();
}
