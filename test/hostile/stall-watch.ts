/** Loaded into a gateway's own process before it starts: says on request how long its event loop stood still. */
const TICK_MS = 10;
let longest = 0;
let last = performance.now();

// The histogram of node:perf_hooks forgets the first tick after a reset, which is the one that matters here.
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last - TICK_MS);
  last = now;
}, TICK_MS).unref();

process.on('SIGUSR2', () => {
  // A stall is seen when the next tick comes late, which may be after this signal.
  setTimeout(() => {
    process.stderr.write(`stall ${longest.toFixed(1)}\n`);
    longest = 0;
  }, 3 * TICK_MS);
});
