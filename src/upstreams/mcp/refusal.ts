import type { Connection } from './connection/connect.ts';
import { probeRefusal } from './connection/liveness.ts';
import { httpStatusOf } from './errors.ts';

/** With these a server refuses a message before it reads it. A bridge passes the same statuses on from its backend. */
const LOST_SESSION = new Set([400, 404]);
const DENIED = new Set([401, 403, 429]);

/** What the refusal of a call shows: the session is gone, every request is denied, or nothing. */
export type Refusal = 'session_lost' | 'denied' | undefined;

/** Finds out whether a server refused a call before it read it. */
export class RefusalProbe {
  readonly #probes = new WeakMap<Connection, Promise<number | undefined>>();

  /**
   * A status alone shows nothing about the effect: a server may act and then answer with it. Only a server that refuses
   * a probe on the same session with the same status refuses every message there.
   */
  async explain(thrown: unknown, connection: Connection): Promise<Refusal> {
    const status = httpStatusOf(thrown);
    if (status === undefined) return undefined;
    const isSession = LOST_SESSION.has(status) && connection.hasSession();
    if (!isSession && !DENIED.has(status)) return undefined;
    if ((await this.#probe(connection)) !== status) return undefined;
    return isSession ? 'session_lost' : 'denied';
  }

  /** Calls that are refused together share one probe. */
  #probe(connection: Connection): Promise<number | undefined> {
    const running = this.#probes.get(connection);
    if (running) return running;
    const probe = probeRefusal(connection.client).finally(() => this.#probes.delete(connection));
    this.#probes.set(connection, probe);
    return probe;
  }
}
