/** CPU and memory of a process, from Linux's /proc. Undefined on other systems. */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ is 100 on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;
const MEGABYTE_IN_KB = 1_024;

/** CPU time of a process so far, with its threads and without its children. */
export function cpuSeconds(pid: number): number | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  // The name in the second field may contain brackets and spaces: fields are counted after its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMegabytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readIfPresent(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / MEGABYTE_IN_KB;
}

/** All descendants of a process, at any depth. */
export function findDescendants(pid: number): number[] {
  const children = listThreads(pid).flatMap((thread) =>
    (readIfPresent(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...findDescendants(child)]);
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
