/** What a script can tell from the exit code alone. */
export const EXIT = {
  ok: 0,
  /** The gateway itself failed: a bug, a full disk, a taken port. */
  failed: 1,
  /** The command or the config is wrong. */
  usage: 2,
  /** The call was refused, failed, or found nothing. */
  refused: 3,
  /** Some upstream is not available, or some tool was refused. */
  unhealthy: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
