import { userInfo } from 'node:os';

/** The principal of a command line: the account that runs it, which can write to the store anyway. */
export function operatorId(): string {
  try {
    return `operator:${userInfo().username}`;
  } catch {
    // In a container the account may have a number and no name.
    return `operator:${process.getuid?.() ?? 'unknown'}`;
  }
}
