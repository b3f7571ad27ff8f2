import { Fault } from '../../contract/errors/fault.ts';
import { hash8 } from '../../contract/tool/tool-id.ts';

const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const NAMESPACE_SEGMENT = /^[a-z*]/;
const ALL = '*';
const MAX_PATH_LENGTH = 512;

/** Parses `/`, `/namespace` or `/namespace/group/…/tool`. A trailing `*` is allowed and changes nothing. */
export function parsePath(path: string): readonly string[] {
  const invalid = (reason: string): Fault =>
    new Fault('INVALID_INPUT', `Invalid path: ${reason}. Browse from "/".`, { variant: 'path' });
  if (!path.startsWith('/')) throw invalid('it must begin with "/"');
  if (path.length > MAX_PATH_LENGTH)
    throw invalid(`it must not be longer than ${MAX_PATH_LENGTH} characters`);
  if (path === '/') return [];
  const segments = path.slice(1).split('/');
  if (segments.some((segment) => segment !== ALL && !SEGMENT.test(segment))) {
    throw invalid('a segment must have only lower-case letters, digits, "_" and "-", and must not be empty');
  }
  if (!NAMESPACE_SEGMENT.test(segments[0]!)) throw invalid('a namespace must begin with a letter');
  return segments.at(-1) === ALL ? segments.slice(0, -1) : segments;
}

/** A name as a path segment: the name itself where the grammar allows it, otherwise a deterministic alias. */
export function segmentOf(name: string): string {
  if (SEGMENT.test(name)) return name;
  const sanitized = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .replace(/^[_-]+/, '')
    .slice(0, 54);
  return `${sanitized || 'tool'}-${hash8(name)}`;
}
