import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a server that can be made to stall, or to break before an answer comes through. */
export interface FlakyProxy {
  readonly url: string;
  /** The next answer is lost, and the connection that it should have come on. */
  cutNextAnswer(): void;
  /** From now on nothing comes through in either direction, on connections that stay open. */
  stall(): void;
  /** The stalled connections are gone, and new ones work. */
  heal(): void;
  close(): void;
}

export async function openFlakyProxy(target: string): Promise<FlakyProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let mode: 'well' | 'cut' | 'stalled' = 'well';
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('data', (bytes) => mode !== 'stalled' && far.write(bytes));
    far.on('data', (bytes) => {
      if (mode === 'cut') {
        mode = 'well';
        near.destroy();
      } else if (mode !== 'stalled') near.write(bytes);
    });
    for (const [end, other] of [
      [near, far],
      [far, near],
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
      mode = 'well';
      drop();
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
