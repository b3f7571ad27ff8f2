import { Response } from 'undici';
import { mediaTypeNamed } from '../../../../base/text/media-type.ts';
import { answerTooLarge } from '../answer-limit.ts';
import { EventStream } from './event-stream.ts';

/** Fails the body of a response that is larger than the limit: each event of a stream, and the whole of any other body. */
export function limitBody(response: Response, maxBytes: number): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = mediaTypeNamed(headers.get('content-type')) === 'text/event-stream';
  const count = isStream ? eventCounter(maxBytes) : byteCounter(maxBytes);
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      count(chunk);
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(limit), { status, statusText, headers });
}

function eventCounter(maxEventBytes: number): (chunk: Uint8Array) => void {
  const events = new EventStream({ maxEventBytes, onEvent: () => {} });
  return ({ buffer, byteOffset, byteLength }) => events.push(Buffer.from(buffer, byteOffset, byteLength));
}

function byteCounter(maxBytes: number): (chunk: Uint8Array) => void {
  let bytes = 0;
  return ({ byteLength }) => {
    bytes += byteLength;
    if (bytes > maxBytes) throw answerTooLarge(maxBytes);
  };
}
