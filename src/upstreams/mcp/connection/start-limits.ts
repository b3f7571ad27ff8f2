import { isPackageRunner } from './stdio/package-runner.ts';
import type { McpTarget } from './target.ts';

export const START_TIMEOUT_MS = 20_000;
/** A package runner downloads the server before its first start. */
const FIRST_RUNNER_START_MS = 120_000;
const LONGEST_ERA_PROBE_MS = 10_000;

export interface StartLimits {
  /** Time limit of one attempt. */
  readonly timeoutMs: number;
  /** Time limit of the probe that finds the era of the server. */
  readonly probeTimeoutMs: number;
}

export interface StartHistory {
  readonly target: McpTarget;
  /** From the config; undefined where it states none. */
  readonly startTimeoutMs: number | undefined;
  readonly hasStarted: boolean;
}

/** The time limits of an attempt to start a server. */
export function startLimits({ target, startTimeoutMs, hasStarted }: StartHistory): StartLimits {
  const isDownload = !hasStarted && target.kind === 'stdio' && isPackageRunner(target);
  const timeoutMs = startTimeoutMs ?? (isDownload ? FIRST_RUNNER_START_MS : START_TIMEOUT_MS);
  // The probe is answered only after the download.
  const probeTimeoutMs = isDownload ? timeoutMs / 2 : Math.min(timeoutMs / 3, LONGEST_ERA_PROBE_MS);
  return { timeoutMs, probeTimeoutMs };
}
