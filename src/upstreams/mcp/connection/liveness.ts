import { type Client, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';

const ANSWER_MS = 5_000;

/** Whether the server still answers. An answer that says no, or not now, is one too. */
export async function isAlive(client: Client): Promise<boolean> {
  const options = { timeout: ANSWER_MS };
  try {
    await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options));
    return true;
  } catch (thrown) {
    return thrown instanceof ProtocolError || (thrown instanceof SdkHttpError && thrown.status === 429);
  }
}
