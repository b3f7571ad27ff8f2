import { createCaller } from '../../src/contract/call/caller.ts';
import type { Principal } from '../../src/contract/call/principal.ts';
import { traceFrom } from '../../src/contract/call/trace.ts';
import type { MetaToolContext } from '../../src/ingress/mcp/gateway/meta-tools.ts';

/** A context whose trace is always the same, so that answers can be compared. */
export function createMetaToolContext(principal: Principal): MetaToolContext {
  return {
    caller: createCaller(principal, {
      trace: traceFrom('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
    }),
    sessionId: undefined,
    metaKey: undefined,
    headerKey: undefined,
    timeoutMs: undefined,
    wantsStructured: false,
    alwaysStructured: false,
    signal: new AbortController().signal,
    onError: (error) => {
      throw error;
    },
  };
}
