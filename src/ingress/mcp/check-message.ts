import { isJsonObject, type JsonObject } from '../../base/json/json.ts';

/** An answer that refuses a message, as JSON-RPC 2.0 defines it. */
export interface ErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
/** The first revision without batches. Revisions are dates, so they can be compared as text. */
const WITHOUT_BATCHES = '2025-06-18';

/**
 * Checks the rules of JSON-RPC that the SDK answers with silence or with a text that a client cannot use. `version` is the
 * negotiated protocol version. Returns undefined where the SDK can handle the message.
 */
export function checkMessage(message: unknown, version: string): ErrorResponse | undefined {
  if (!Array.isArray(message)) return checkOne(message);
  if (message.length === 0) return invalidRequest('The batch is empty.');
  if (version >= WITHOUT_BATCHES)
    return invalidRequest(`Protocol version ${version} has no batches. Send each message by itself.`);
  const refusals = message.map(checkOne);
  const at = refusals.findIndex((refusal) => refusal !== undefined);
  return at === -1
    ? undefined
    : invalidRequest(`Message ${at + 1} of the batch: ${refusals[at]!.error.message}`);
}

function checkOne(message: unknown): ErrorResponse | undefined {
  if (!isJsonObject(message)) return invalidRequest('A message must be a JSON object.');
  const { jsonrpc, method, id } = message;
  if (jsonrpc !== '2.0') return invalidRequest('"jsonrpc" must be "2.0".');
  // A response is never answered.
  if (method === undefined && ('result' in message || 'error' in message)) return undefined;
  if (typeof method !== 'string') return invalidRequest('"method" must be a string.');
  if (id === undefined) return undefined;
  if (!isRequestId(id)) {
    const safe = 'between -(2^53 - 1) and 2^53 - 1';
    return invalidRequest(
      `"id" must be a string or an integer ${safe}. Leave it out only in a notification.`,
    );
  }
  return method === 'initialize' ? checkInitialize(id, message.params) : undefined;
}

/** An integer beyond the safe range was already rounded when it was parsed: an answer would have another id. */
export function isRequestId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function checkInitialize(id: string | number, params: unknown): ErrorResponse | undefined {
  const { protocolVersion, capabilities, clientInfo }: JsonObject = isJsonObject(params) ? params : {};
  const isComplete =
    typeof protocolVersion === 'string' &&
    isJsonObject(capabilities) &&
    isJsonObject(clientInfo) &&
    typeof clientInfo.name === 'string' &&
    typeof clientInfo.version === 'string';
  if (isComplete) return undefined;
  const message =
    'initialize needs "protocolVersion", "capabilities" and "clientInfo" with a name and a version.';
  return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message } };
}

function invalidRequest(message: string): ErrorResponse {
  return { jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } };
}
