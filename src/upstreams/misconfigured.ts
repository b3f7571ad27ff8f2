import { Fault } from '../contract/errors/fault.ts';
import type { Upstream, UpstreamListener, UpstreamSession } from '../contract/ports/upstream.ts';
import type { UpstreamState } from '../contract/upstream-state.ts';

/** An upstream that cannot be started as it is configured. It stays in sight, with the reason, and holds up nobody. */
export class MisconfiguredUpstream implements Upstream {
  readonly namespace: string;
  readonly state: UpstreamState;

  constructor(namespace: string, reason: string) {
    this.namespace = namespace;
    this.state = { kind: 'needs_credentials', since: new Date().toISOString(), reason };
  }

  async start(listener: UpstreamListener): Promise<void> {
    listener.stateChanged(this.state);
  }

  async session(): Promise<UpstreamSession> {
    const message = `Upstream ${this.namespace} is not configured completely. Run "toolgate doctor".`;
    throw new Fault('UPSTREAM_AUTH_FAILED', message, { effect: 'none' });
  }

  async stop(): Promise<void> {}
}
