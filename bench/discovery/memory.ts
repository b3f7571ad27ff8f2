import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { quantile } from './metrics.ts';

// The bench starts without `--expose-gc`, and what is garbage must not be counted.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const WEIGHINGS = 3;

/** How much memory what is built holds, in MB of a million bytes. */
export function memoryMbOf(build: () => unknown): number {
  // The first time leaves compiled code and tables of libraries behind, which are nobody's index.
  build();
  // Once in dozens of times an earlier index is still held at the first look, and one weighing alone is far off.
  return quantile(
    0.5,
    Array.from({ length: WEIGHINGS }, () => weighed(build)),
  );
}

function weighed(build: () => unknown): number {
  const before = heldBytes();
  const kept = build();
  const after = heldBytes();
  // Named here, so that it is not garbage before the second look.
  return kept === undefined ? 0 : Math.max(after - before, 0) / 1e6;
}

/** `external` has array buffers in it, and WebAssembly's memory. */
function heldBytes(): number {
  // Twice: buffers go only after the objects that held them.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
