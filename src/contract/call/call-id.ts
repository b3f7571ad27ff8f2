import { randomUUID } from 'node:crypto';

const time = Buffer.alloc(6);

/** A UUID of version 7: ids that grow with time lie side by side in an index, and the last ones are at hand. */
export function newCallId(): string {
  time.writeUIntBE(Date.now(), 0, 6);
  const random = randomUUID().slice('xxxxxxxx-xxxx-4'.length);
  return `${time.toString('hex', 0, 4)}-${time.toString('hex', 4)}-7${random}`;
}
