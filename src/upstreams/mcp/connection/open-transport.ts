import type { Transport } from '@modelcontextprotocol/client';

/** A transport before the handshake. */
export interface OpenTransport {
  readonly transport: Transport;
  /** The last part of the child's stderr; empty over HTTP. */
  stderr(): string;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly maxAnswerBytes: number;
  /** Fires when a stream for notifications is open: those sent before it may have been lost. */
  readonly onStreamOpened: () => void;
  /** Gets a defect of the server that its operator should correct. */
  readonly onWarning: (message: string) => void;
}
