/** The caller's own name of the conversation, where it gives one. The transport's dies with a connection. */
export const SESSION_KEY = 'toolgate/session';

const MAX_LENGTH = 256;

export function sessionIn(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const session = meta?.[SESSION_KEY];
  return typeof session === 'string' && session !== '' ? session.slice(0, MAX_LENGTH) : undefined;
}
