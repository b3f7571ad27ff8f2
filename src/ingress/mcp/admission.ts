import type { ServerResponse } from 'node:http';
import { isJsonObject } from '../../base/json/json.ts';

export interface AdmissionLimits {
  /** Calls of `tool_execute`. */
  readonly maxInFlight: number;
  /** Open `subscriptions/listen` streams. */
  readonly maxSubscriptions: number;
}

const EXECUTE = 'tool_execute';
/** Browsing, viewing and the handshake use no upstream: they stay possible while calls fill the gateway. */
const MAX_LOOKUPS = 128;

/** Limits what the gateway does at the same time over HTTP. A request counts until its response is closed. */
export class Admission {
  readonly #calls: RequestLimit;
  readonly #lookups = new RequestLimit('requests are in flight', MAX_LOOKUPS);
  readonly #subscriptions: RequestLimit;

  constructor({ maxInFlight, maxSubscriptions }: AdmissionLimits) {
    this.#calls = new RequestLimit('calls are in flight', maxInFlight);
    this.#subscriptions = new RequestLimit('subscriptions are open', maxSubscriptions);
  }

  /** Returns why a call of this meta-tool is refused, if it is. */
  refuseCall(name: string, response: ServerResponse): string | undefined {
    return (name === EXECUTE ? this.#calls : this.#lookups).refuse(response);
  }

  /** The same for any message or batch. */
  refuseMessage(message: unknown, response: ServerResponse): string | undefined {
    if (isJsonObject(message) && message.method === 'subscriptions/listen')
      return this.#subscriptions.refuse(response);
    const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
    const calls = messages.filter(isExecution).length;
    return calls > 0 ? this.#calls.refuse(response, calls) : this.#lookups.refuse(response);
  }
}

class RequestLimit {
  readonly #what: string;
  readonly #max: number;
  #held = 0;

  constructor(what: string, max: number) {
    this.#what = what;
    this.#max = max;
  }

  refuse(response: ServerResponse, slots = 1): string | undefined {
    // A batch that is larger than the limit is accepted alone.
    if (this.#held > 0 && this.#held + slots > this.#max) return `Too many ${this.#what} (${this.#max}).`;
    if (response.closed) return undefined;
    this.#held += slots;
    response.once('close', () => {
      this.#held -= slots;
    });
    return undefined;
  }
}

function isExecution(message: unknown): boolean {
  if (!isJsonObject(message) || message.method !== 'tools/call') return false;
  return isJsonObject(message.params) && message.params.name === EXECUTE;
}
