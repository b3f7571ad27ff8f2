import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../../bin/child.js';
import { Problem } from './run-step.js';
import { test } from './test.js';

/** A task takes `{ root, node, args }` and tells how it ended, as `{ code, signal }`. */
export function taskNamed(name, root) {
  if (name === 'start') return script('examples/demo/start.ts');
  if (name === 'test') return test;
  const [, kind, folder] = /^(bench|fault):([a-z0-9-]+)$/.exec(name ?? '') ?? [];
  if (folder && existsSync(join(root, kind, folder, 'run.ts'))) return script(`${kind}/${folder}/run.ts`);
  throw new Problem(
    `No task ${name ?? 'given'}. There are: start, test, bench:<a folder of bench/> and fault:<a folder of fault/>.`,
  );
}

// Early releases of 24 warn that they strip types: no first line for a demo.
function script(path) {
  const flags = ['--disable-warning=ExperimentalWarning'];
  return ({ root, node, args }) => runChild(node, [...flags, path, ...args], { cwd: root });
}
