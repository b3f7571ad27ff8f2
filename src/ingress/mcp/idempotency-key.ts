import type { IncomingMessage } from 'node:http';
import { Fault } from '../../contract/errors/fault.ts';
import { type CallContext, KEY_HEADER } from './call-context.ts';
import { readText } from './read-text.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The key of a call, which may come as an argument, in `_meta` and in a header. Places that disagree are refused: whichever key
 * were used, a retry with the other one would have a second effect.
 */
export function readIdempotencyKey(
  argument: unknown,
  { metaKey, headerKey }: CallContext,
): string | undefined {
  const sent = [argument, metaKey, headerKey && decodeHeader(headerKey)].filter((key) => key != null);
  if (sent.length === 0) return undefined;
  const keys = new Set(sent.map((key) => readText('idempotency_key', key).normalize('NFC')));
  if (keys.size === 1) return [...keys][0];
  throw new Fault(
    'INVALID_INPUT',
    'The idempotency key differs between the argument, _meta and the header. Send the same key, or only one.',
  );
}

/** Node reads headers as Latin-1. Clients send text beyond ASCII as UTF-8, and some, such as browsers, as Latin-1. */
function decodeHeader(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Whether a request has several headers with a key, which the server has joined to another key. */
export function hasSeveralKeys({ headers, rawHeaders }: IncomingMessage): boolean {
  if (!headers[KEY_HEADER]?.includes(',')) return false;
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === KEY_HEADER).length > 1;
}
