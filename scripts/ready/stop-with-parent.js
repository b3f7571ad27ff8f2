const lookEveryMs = 500;

/**
 * npm passes a signal on to the shell between it and us, and many shells die of it without a word: the task would then go on
 * with nobody to stop it. Outside npm a parent may leave on purpose, so nothing is watched there.
 */
export function stopWhenNpmIsGone() {
  if (process.platform === 'win32' || !process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, lookEveryMs);
  watch.unref();
}
