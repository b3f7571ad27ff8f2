import { randomUUID } from 'node:crypto';

/** How long a process may send no heartbeat before it is taken for dead. */
export const DEFAULT_LEASE_MS = 10_000;

export interface Lease {
  /** Identifies this process in the store. */
  readonly node: string;
  /** Resolves when the store has a heartbeat of this process; further ones follow. */
  hold(): Promise<void>;
  /** Sends no further heartbeat. */
  end(): Promise<void>;
}

/** Sends heartbeats from the first claim on: a process that claims nothing writes none. */
export function startLease(heartbeat: (node: string) => Promise<void>, leaseMs: number): Lease {
  const node = randomUUID();
  let first: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let latest: Promise<unknown> = Promise.resolve();
  const repeat = (): void => {
    // The next heartbeat makes up for one that failed; until then other processes may take this one for dead.
    latest = heartbeat(node).catch(() => {});
  };
  const begin = async (): Promise<void> => {
    try {
      await heartbeat(node);
      timer = setInterval(repeat, leaseMs / 3);
      timer.unref();
    } catch (error) {
      // The next claim tries again; otherwise no key could ever be claimed.
      first = undefined;
      throw error;
    }
  };
  return {
    node,
    hold() {
      first ??= begin();
      return first;
    },
    async end() {
      clearInterval(timer);
      await latest;
    },
  };
}
