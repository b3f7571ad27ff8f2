import type { IncomingHttpHeaders } from 'node:http';

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Why a body in this encoding cannot be read, if it cannot. Its media type is checked where the body is parsed. */
export function unsupportedMedia(headers: IncomingHttpHeaders): string | undefined {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (encoding.toLowerCase() !== 'identity')
    return 'The body must not be compressed. Send it without Content-Encoding.';
  // Most clients send no charset, and the pattern costs more than this search.
  const charset = type.includes(';') ? CHARSET.exec(type)?.[1] : undefined;
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  return 'The body must be JSON in UTF-8. Send it with charset=utf-8 or without a charset.';
}
