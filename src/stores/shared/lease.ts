import { randomUUID } from 'node:crypto';

/** How long a process may be silent before its keys are taken for a dead one's. */
export const DEFAULT_LEASE_MS = 10_000;

export interface Lease {
  readonly node: string;
  /** Resolves when the store knows that this process is alive, and keeps it knowing. */
  hold(): Promise<void>;
  /** No more signs of life. */
  end(): Promise<void>;
}

/** Signs of life, from the first key on: a process that never claims anything writes none. */
export function leaseOf(beat: (node: string) => Promise<void>, leaseMs: number): Lease {
  const node = randomUUID();
  let first: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let latest: Promise<unknown> = Promise.resolve();
  const again = (): void => {
    // A sign that could not be given is given with the next one; until then others may take this process for dead.
    latest = beat(node).catch(() => {});
  };
  const begin = async (): Promise<void> => {
    try {
      await beat(node);
      timer = setInterval(again, leaseMs / 3);
      timer.unref();
    } catch (refusal) {
      // What failed at first must be tried again, or no key could ever be claimed.
      first = undefined;
      throw refusal;
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
