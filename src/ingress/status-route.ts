import type { Caller } from '../contract/call/caller.ts';
import { type HttpRoute, sendJson } from './listener.ts';

export interface StatusReport {
  readonly isOk: boolean;
  readonly body: object;
}

const READS = new Set(['GET', 'HEAD']);

/** A path for load balancers and monitors, such as `/healthz`: 200 while all is well, otherwise 503. */
export function statusRoute(path: string, report: (caller: Caller) => StatusReport): HttpRoute {
  return {
    matches: (requested) => requested === path,
    handle({ method = '' }, response, { caller }) {
      if (!READS.has(method)) {
        return sendJson(
          response,
          405,
          { error: 'METHOD_NOT_ALLOWED', message: 'Use GET.' },
          { allow: 'GET, HEAD' },
        );
      }
      const { isOk, body } = report(caller);
      sendJson(response, isOk ? 200 : 503, body);
    },
  };
}
