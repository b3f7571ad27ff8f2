import { expect, it } from 'vitest';
import { startLimits } from './start-limits.ts';

const process = (command: string) =>
  ({ kind: 'stdio', command, args: ['server'], env: {}, cwd: undefined }) as const;

it.each([
  { command: 'node', hasStarted: false, startTimeoutMs: undefined, timeoutMs: 20_000 },
  { command: 'npx', hasStarted: false, startTimeoutMs: undefined, timeoutMs: 120_000 },
  { command: 'npx', hasStarted: true, startTimeoutMs: undefined, timeoutMs: 20_000 },
  { command: 'npx', hasStarted: false, startTimeoutMs: 5_000, timeoutMs: 5_000 },
])('allows $timeoutMs ms for $command', ({ command, timeoutMs, ...history }) => {
  const limits = startLimits({ target: process(command), ...history });
  expect(limits.timeoutMs).toBe(timeoutMs);
  expect(limits.probeTimeoutMs).toBeLessThan(timeoutMs);
});
