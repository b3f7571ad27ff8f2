import { Fault } from '../contract/errors/fault.ts';
import type { Upstream, UpstreamListener, UpstreamSession } from '../contract/ports/upstream.ts';
import type { UpstreamState } from '../contract/upstream-state.ts';

/** An upstream whose config is incomplete or wrong. It stays visible with the reason and does not prevent the start of others. */
export class MisconfiguredUpstream implements Upstream {
  readonly namespace: string;
  readonly state: UpstreamState;

  constructor(namespace: string, kind: 'needs_credentials' | 'misconfigured', reason: string) {
    this.namespace = namespace;
    this.state = { kind, since: new Date().toISOString(), reason };
  }

  async start(listener: UpstreamListener): Promise<void> {
    listener.stateChanged(this.state);
  }

  async session(): Promise<UpstreamSession> {
    const message = `Upstream ${this.namespace} is not configured correctly. Run "toolgate doctor".`;
    const code = this.state.kind === 'misconfigured' ? 'UPSTREAM_FAILURE' : 'UPSTREAM_AUTH_FAILED';
    throw new Fault(code, message, { effect: 'none' });
  }

  async stop(): Promise<void> {}
}
