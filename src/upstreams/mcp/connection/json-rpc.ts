import type { JsonObject } from '../../../base/json/json.ts';

export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** A message with a result or an error, whose id was compared with that of its request. */
export type JsonRpcResponse = JsonObject;
