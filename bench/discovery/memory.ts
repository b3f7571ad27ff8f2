import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { quantile } from './metrics.ts';

// The benchmark starts without `--expose-gc`, and garbage must not be counted.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const SAMPLES = 3;

/** The memory that the built object holds, in MB of a million bytes. */
export function memoryMbOf(build: () => unknown): number {
  // The first build also allocates compiled code and tables of libraries, which are not part of the index.
  build();
  // Rarely an earlier index is still in memory at the start, and a single sample would be far off.
  return quantile(
    0.5,
    Array.from({ length: SAMPLES }, () => measureMb(build)),
  );
}

function measureMb(build: () => unknown): number {
  const before = heldBytes();
  const built = build();
  const after = heldBytes();
  // The object is used here, so that it is not collected before the second measurement.
  return built === undefined ? 0 : Math.max(after - before, 0) / 1e6;
}

/** `external` includes array buffers and WebAssembly memory. */
function heldBytes(): number {
  // Twice, because buffers are freed only after the objects that held them.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
