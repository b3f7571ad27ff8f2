import { randomUUID } from 'node:crypto';
import type { Client } from './client.ts';
import type { Target } from './targets.ts';

const RUN = randomUUID();
let sent = 0;

/** Sends a message that was never sent before: a cache cannot answer it, and an answer to another call is detected. */
export async function callEcho({ name, echo }: Target, client: Client): Promise<void> {
  const message = `${name} ${++sent} of ${RUN}`;
  const text = await client.call(echo(message));
  if (text !== `Echo: ${message}`) throw new Error(`sent "${message}", got "${text.slice(0, 200)}"`);
}
