import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { httpStatusOf } from '../errors.ts';

const PROBE_TIMEOUT_MS = 5_000;

/** Whether the server answers a probe. A protocol error or HTTP status 429 is an answer too. */
export async function isAlive(client: Client): Promise<boolean> {
  try {
    await probe(client);
    return true;
  } catch (thrown) {
    return thrown instanceof ProtocolError || httpStatusOf(thrown) === 429;
  }
}

/** The HTTP status with which the server refuses a probe on this session; undefined where it does not refuse it. */
export async function probeRefusal(client: Client): Promise<number | undefined> {
  try {
    await probe(client);
    return undefined;
  } catch (thrown) {
    return httpStatusOf(thrown);
  }
}

async function probe(client: Client): Promise<void> {
  const options = { timeout: PROBE_TIMEOUT_MS };
  await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options));
}
