import { randomUUID } from 'node:crypto';

/** A UUID of version 7: ids that grow with time lie side by side in an index, and the last ones are at hand. */
export function newCallId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice('xxxxxxxx-xxxx-4'.length)}`;
}
