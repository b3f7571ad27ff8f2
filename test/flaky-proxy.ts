import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can stall, or cut a connection before a response passes. */
export interface FlakyProxy {
  readonly url: string;
  /** Drops the next response and its connection. */
  cutNextAnswer(): void;
  /** Stops traffic in both directions; connections stay open. */
  stall(): void;
  /** Closes the stalled connections; new ones work. */
  heal(): void;
  close(): void;
}

export async function openFlakyProxy(target: string): Promise<FlakyProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let mode: 'normal' | 'cut' | 'stalled' = 'normal';
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('data', (bytes) => mode !== 'stalled' && upstream.write(bytes));
    upstream.on('data', (bytes) => {
      if (mode === 'cut') {
        mode = 'normal';
        client.destroy();
      } else if (mode !== 'stalled') client.write(bytes);
    });
    for (const [end, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cutNextAnswer: () => {
      mode = 'cut';
    },
    stall: () => {
      mode = 'stalled';
    },
    heal: () => {
      mode = 'normal';
      drop();
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
