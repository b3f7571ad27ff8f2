import { randomUUID } from 'node:crypto';
import type { Contestant } from './contestants.ts';
import type { Wire } from './wire.ts';

const RUN = randomUUID();
let sent = 0;

/** One call with a message that was never sent before: a cache cannot help, and a mixed-up answer shows. */
export async function checkedEcho({ name, echo }: Contestant, wire: Wire): Promise<void> {
  const message = `${name} ${++sent} of ${RUN}`;
  const text = await wire.call(echo(message));
  if (text !== `Echo: ${message}`) throw new Error(`sent "${message}", got "${text.slice(0, 200)}"`);
}
