/** Loaded into the process of a gateway before it starts: reports on SIGUSR2 how long its event loop was blocked. */
const TICK_MS = 10;
let longest = 0;
let last = cpuMs();

/** CPU time of the main thread, because the load of the machine must not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

// The histogram of node:perf_hooks drops the first tick after a reset, which is the relevant one here.
setInterval(() => {
  const now = cpuMs();
  longest = Math.max(longest, now - last - TICK_MS);
  last = now;
}, TICK_MS).unref();

process.on('SIGUSR2', () => {
  // A stall shows when the next tick is late, which may be after this signal.
  setTimeout(() => {
    process.stderr.write(`stall ${longest.toFixed(1)}\n`);
    longest = 0;
  }, 3 * TICK_MS);
});
