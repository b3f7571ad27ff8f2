import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../../bin/child.js';
import { Problem } from './step.js';
import { test } from './test.js';

/** A task takes `{ root, node, args }` and tells how it ended, as `{ code, signal }`. */
export function taskNamed(name, root) {
  if (name === 'start') return script('examples/demo/start.ts');
  if (name === 'test') return test;
  const bench = /^bench:([a-z0-9-]+)$/.exec(name ?? '')?.[1];
  if (bench && existsSync(join(root, 'bench', bench, 'run.ts'))) return script(`bench/${bench}/run.ts`);
  throw new Problem(`No task ${name ?? 'given'}. There are: start, test, and bench:<a folder of bench/>.`);
}

// Early releases of 24 warn that they strip types: no first line for a demo.
function script(path) {
  const flags = ['--disable-warning=ExperimentalWarning'];
  return ({ root, node, args }) => runChild(node, [...flags, path, ...args], { cwd: root });
}
