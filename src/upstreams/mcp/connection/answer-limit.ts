import { type JSONRPCErrorResponse, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { Fault } from '../../../contract/errors/fault.ts';
import type { MessageId } from './stdio/oversized-answer.ts';

/** An answer that was not read. The call was executed, so it must not be repeated. */
export function answerTooLarge(maxAnswerBytes: number): Fault {
  const message = `The answer of the upstream is larger than its maxAnswerBytes (${maxAnswerBytes}). Ask for less, or raise the limit.`;
  return new Fault('UPSTREAM_FAILURE', message);
}

/** Fails one request from inside a transport. Only this process can put a fault into the data of an error. */
export function failedRequest(id: MessageId, fault: Fault): JSONRPCErrorResponse {
  const { message } = fault;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message, data: fault } };
}
