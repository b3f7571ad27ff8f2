const checkIntervalMs = 500;

/**
 * Stops this process when its parent ends. npm forwards a signal only to the shell that it starts, and many shells end without
 * forwarding it, so the task would run on. Outside npm a parent may end on purpose, so it is not watched.
 */
export function stopWithNpm() {
  if (process.platform === 'win32' || !process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, checkIntervalMs);
  watch.unref();
}
