import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, createCaller } from '../contract/call/caller.ts';
import type { Principal } from '../contract/call/principal.ts';
import { traceFrom } from '../contract/call/trace.ts';

/** Who sent a request, as resolved from its credentials. */
export type Identity = Pick<Caller, 'principal' | 'credential'>;

/** Resolves the identity of every HTTP request. */
export type Identify = (headers: IncomingHttpHeaders) => Identity;

/** Treats every request that reaches the listener as one of the local user. */
export function identifyLocalUser(principal: Principal): Identify {
  const identity: Identity = { principal, credential: null };
  return () => identity;
}

/** The caller of an HTTP request, as far as its headers identify it. A codec adds what the message contains. */
export function readCaller(identify: Identify, headers: IncomingHttpHeaders): Caller {
  const { principal, credential } = identify(headers);
  const trace = traceFrom(headers.traceparent, headers.tracestate);
  return createCaller(principal, { credential, trace, transport: 'http', surface: 'http' });
}
