import { Fault } from '../../contract/errors.ts';
import type { Artifact } from '../../contract/ports/artifacts.ts';
import { isText } from '../artifact.ts';
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

export function textIn(artifact: Artifact): string {
  if (!isText(artifact.mediaType))
    throw viewFault(`This artifact is ${artifact.mediaType}, not text. Use "head".`);
  return Buffer.from(artifact.bytes).toString('utf8');
}

export function jsonIn(artifact: Artifact): unknown {
  if (artifact.mediaType !== 'application/json')
    throw viewFault('This artifact is not JSON. Use "head" or "lines".');
  return JSON.parse(Buffer.from(artifact.bytes).toString('utf8'));
}
