import type { Principal } from './principal.ts';
import { type TraceContext, traceFrom } from './trace.ts';

/** The client software, as it named itself in the handshake. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** Who sends a request, and over which transport. Ingress resolves it once for every request. */
export interface Caller {
  readonly principal: Principal;
  readonly client: ClientInfo | null;
  /** The orchestrator's session, never the transport's. */
  readonly sessionId?: string;
  /** The session of the transport, such as an `Mcp-Session-Id`. It decides whose turn it is in a queue, and nothing else. */
  readonly transportSession?: string;
  readonly trace: TraceContext;
  /** A label of the presented credential for receipts, never the credential itself. Null for the local user. */
  readonly credential: string | null;
  readonly transport: 'http' | 'stdio' | 'in_process';
  /** The set of operations that the caller uses, such as `gateway` or `cli`. */
  readonly surface: string;
}

/** A caller inside this process: the command line, an embedding program, a test. */
export function createCaller(
  principal: Principal,
  { trace = traceFrom(undefined), ...overrides }: Partial<Omit<Caller, 'principal'>> = {},
): Caller {
  return {
    principal,
    client: null,
    trace,
    credential: null,
    transport: 'in_process',
    surface: 'api',
    ...overrides,
  };
}
