import { Fault } from '../../contract/errors.ts';
import type { Artifact } from '../../contract/ports/artifacts.ts';
import { isText } from '../media-type.ts';
import type { Parameters } from './selector.ts';

export function viewFault(
  message: string,
  details?: Readonly<Record<string, unknown>>,
): Fault<'INVALID_INPUT'> {
  return new Fault('INVALID_INPUT', message, { variant: 'view', ...(details && { details }) });
}

/** A whole number of a selector, or its default. */
export function wholeNumber(parameters: Parameters, name: string, fallback: number, least: number): number {
  const value = parameters[name] ?? fallback;
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    throw viewFault(`"${name}" must be a whole number from ${least}.`);
  }
  return value as number;
}

export function textBytesIn({ mediaType, bytes }: Artifact): Uint8Array {
  if (!isText(mediaType)) throw viewFault(`This artifact is ${mediaType}, not text. Use "head".`);
  return bytes;
}

export function textIn(artifact: Artifact): string {
  return decoded(textBytesIn(artifact));
}

export function decoded(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

export function jsonIn(artifact: Artifact): unknown {
  if (artifact.mediaType !== 'application/json')
    throw viewFault('This artifact is not JSON. Use "head" or "lines".');
  return JSON.parse(decoded(artifact.bytes));
}
