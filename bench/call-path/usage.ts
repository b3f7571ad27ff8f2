/** What a process takes, as Linux tells it; undefined elsewhere, where nothing is claimed. */
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts for user space in hundredths of a second on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const MEGABYTE_IN_KB = 1_024;

/** CPU time that a process has taken so far, its threads included and its children not. */
export function cpuSeconds(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in the second field may hold anything, brackets too: counting starts after its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMegabytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / MEGABYTE_IN_KB;
}

/** Everything below a process, however deep. */
export function descendants(pid: number): number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
