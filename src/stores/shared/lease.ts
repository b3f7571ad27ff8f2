import { randomUUID } from 'node:crypto';

/** How long a process may send no heartbeat before it is taken for dead. */
export const DEFAULT_LEASE_MS = 10_000;

/** The part of a lease that is left for a request to reach its upstream after the lease was checked. */
const MARGIN = 0.1;

export interface Lease {
  /** Identifies this process in the store. */
  readonly node: string;
  /** Resolves when the store has a heartbeat of this process; further ones follow. */
  hold(): Promise<void>;
  /** Whether no other process can have taken this one for dead, by the clocks of this process. */
  isCurrent(): boolean;
  /** Sends a heartbeat now. */
  renew(): Promise<void>;
  /** Sends no further heartbeat. */
  end(): Promise<void>;
}

export interface LeaseOptions {
  readonly leaseMs: number;
  readonly heartbeat: (node: string) => Promise<unknown>;
  /** Further work at the pace of heartbeats, while the store is available. */
  readonly afterHeartbeat: () => Promise<void>;
}

/** Sends heartbeats from the first claim on: a process that claims nothing writes none. */
export function startLease({ leaseMs, heartbeat, afterHeartbeat }: LeaseOptions): Lease {
  const node = randomUUID();
  let first: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let latest: Promise<unknown> = Promise.resolve();
  let renewedAt: Instant | undefined;
  const renew = async (): Promise<void> => {
    // The store starts the lease later than this.
    const startedAt = now();
    await heartbeat(node);
    renewedAt = startedAt;
  };
  const repeat = (): void => {
    // The next heartbeat makes up for one that failed; until then other processes may take this one for dead.
    latest = renew()
      .then(afterHeartbeat)
      .catch(() => {});
  };
  const begin = async (): Promise<void> => {
    try {
      await renew();
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
    isCurrent: () => renewedAt !== undefined && elapsedMs(renewedAt) < leaseMs * (1 - MARGIN),
    renew,
    async end() {
      clearInterval(timer);
      await latest;
    },
  };
}

/** A time on both clocks: the steady one stops while the machine is suspended, and the wall clock can be set back. */
interface Instant {
  readonly steadyMs: number;
  readonly wallMs: number;
}

function now(): Instant {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

function elapsedMs({ steadyMs, wallMs }: Instant): number {
  return Math.max(performance.now() - steadyMs, Date.now() - wallMs);
}
