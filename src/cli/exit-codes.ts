/** Exit codes of every command, for scripts. */
export const EXIT = {
  ok: 0,
  /** The gateway failed: a bug, a full disk, a port in use. */
  failed: 1,
  /** The command or the config is invalid. */
  usage: 2,
  /** The call was refused, failed, or found nothing. */
  refused: 3,
  /** An upstream is not ready, a tool was refused, or a call is unresolved. */
  unhealthy: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
