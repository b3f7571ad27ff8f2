const INSPECTED_LENGTH = 256;
const BASE64 = /^[A-Za-z0-9+/]{8,}={0,2}$/;
const USER_AND_PASSWORD = /^[\x20-\x7e\u00a0-\ufffc]*:[\x20-\x7e\u00a0-\ufffc]*$/;

/** Whether a text is base64 of `user:password` (RFC 7617). */
export function isUserAndPassword(text: string): boolean {
  const head = text.slice(0, INSPECTED_LENGTH);
  return BASE64.test(head) && USER_AND_PASSWORD.test(Buffer.from(head, 'base64').toString());
}
