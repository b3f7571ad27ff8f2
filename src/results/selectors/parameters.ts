import { isText } from '../../base/text/media-type.ts';
import { decodeUtf8 } from '../../base/text/utf8.ts';
import { Fault } from '../../contract/errors/fault.ts';
import type { Artifact } from '../../contract/ports/artifact-store.ts';
import { readDocument } from '../artifacts/document.ts';
import type { Parameters } from './selector.ts';

export function viewFault(
  message: string,
  details?: Readonly<Record<string, unknown>>,
): Fault<'INVALID_INPUT'> {
  return new Fault('INVALID_INPUT', message, { variant: 'view', ...(details && { details }) });
}

/** Reads an integer parameter, or its default. */
export function readInteger(parameters: Parameters, name: string, fallback: number, min: number): number {
  const value = parameters[name] ?? fallback;
  if (!Number.isSafeInteger(value) || (value as number) < min) {
    throw viewFault(`"${name}" must be an integer of at least ${min}.`);
  }
  return value as number;
}

/** Reads a boolean parameter, by default false. */
export function readFlag(parameters: Parameters, name: string): boolean {
  const value = parameters[name] ?? false;
  if (typeof value !== 'boolean') throw viewFault(`"${name}" must be true or false.`);
  return value;
}

export function readTextBytes({ mediaType, bytes }: Artifact): Uint8Array {
  if (!isText(mediaType)) throw viewFault(`This artifact is ${mediaType}, not text. Use "head" or "bytes".`);
  return bytes;
}

export function readText(artifact: Artifact): string {
  return decodeUtf8(readTextBytes(artifact));
}

export function readJson(artifact: Artifact): object {
  const document = readDocument(artifact);
  if (!document) throw viewFault('This artifact is not JSON. Use "head", "lines" or "grep".');
  return document;
}
