import { Fault } from '../../contract/errors/fault.ts';
import { hash8 } from '../../contract/tool/tool-id.ts';

const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const NAMESPACE_SEGMENT = /^[a-z*]/;
const ALL = '*';
const MAX_PATH_LENGTH = 512;

/** `/`, `/namespace`, `/namespace/cluster/…/tool`; a last `*` says «all of it». */
export function parsePath(path: string): readonly string[] {
  const invalid = (why: string): Fault =>
    new Fault('INVALID_INPUT', `Not a path: ${why}. Start from "/".`, { variant: 'path' });
  if (!path.startsWith('/')) throw invalid('it must begin with "/"');
  if (path.length > MAX_PATH_LENGTH) throw invalid('it is too long');
  if (path === '/') return [];
  const segments = path.slice(1).split('/');
  if (segments.some((segment) => segment !== ALL && !SEGMENT.test(segment))) {
    throw invalid('a segment is lower-case letters, digits, "_" and "-", and is not empty');
  }
  if (!NAMESPACE_SEGMENT.test(segments[0]!)) throw invalid('a namespace begins with a letter');
  return segments.at(-1) === ALL ? segments.slice(0, -1) : segments;
}

/** A name as a segment: itself where the grammar holds it, else an alias that is the same on every machine. */
export function segmentOf(name: string): string {
  if (SEGMENT.test(name)) return name;
  const lowered = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .replace(/^[_-]+/, '')
    .slice(0, 54);
  return `${lowered || 'tool'}-${hash8(name)}`;
}
