import { type Client, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';

const PROBE_TIMEOUT_MS = 5_000;

/** Whether the server answers a probe. A protocol error or HTTP status 429 is an answer too. */
export async function isAlive(client: Client): Promise<boolean> {
  const options = { timeout: PROBE_TIMEOUT_MS };
  try {
    await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options));
    return true;
  } catch (thrown) {
    return thrown instanceof ProtocolError || (thrown instanceof SdkHttpError && thrown.status === 429);
  }
}
