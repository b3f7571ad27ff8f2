import { Fault } from '../../contract/errors/fault.ts';

export interface MessageLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxBatch: number;
}

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxDepth: 96,
  maxBatch: 100,
};

/** Members of all objects in a message. Objects with more take longer to read, hash and send than one turn may. */
const MAX_MEMBERS = 50_000;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a message that is within the limits and valid JSON in UTF-8. The error names the rule that the message breaks. */
export function parseMessage(bytes: Uint8Array, limits: MessageLimits): unknown {
  if (bytes.byteLength > limits.maxBytes) throw tooLarge(limits);
  const excess = findExcess(bytes, limits.maxDepth);
  if (excess !== undefined) throw refused(excess);
  let message: unknown;
  try {
    message = JSON.parse(UTF8.decode(bytes));
  } catch {
    throw refused('The message is not valid JSON in UTF-8.');
  }
  if (Array.isArray(message) && message.length > limits.maxBatch) {
    throw refused(`The batch has more than ${limits.maxBatch} messages. Split it.`);
  }
  return message;
}

/** Counts levels and members on the bytes, because a message with too many of them attacks the parser. */
function findExcess(bytes: Uint8Array, maxDepth: number): string | undefined {
  let depth = 0;
  let members = 0;
  let quoted = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (quoted) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > maxDepth) return `The message is nested deeper than ${maxDepth} levels.`;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === COLON && ++members > MAX_MEMBERS)
      return `The objects of the message have more than ${MAX_MEMBERS} members. Send them in several calls.`;
  }
  return undefined;
}

function refused(message: string): Fault<'INVALID_INPUT'> {
  return new Fault('INVALID_INPUT', message, { variant: 'unparsable' });
}

export function tooLarge({ maxBytes }: MessageLimits): Fault<'INVALID_INPUT'> {
  return new Fault('INVALID_INPUT', `The message is larger than the limit of ${maxBytes} bytes.`, {
    variant: 'oversized',
  });
}

/** The response to a message that cannot be parsed, so its id is unknown. */
export function refusalMessage(fault: Fault): object {
  return { jsonrpc: '2.0', id: null, error: { code: -32700, message: fault.message } };
}

/** A response without an id, for an error that belongs to the HTTP request and not to a message. */
export function errorMessage(message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
}
