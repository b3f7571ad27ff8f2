import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../../bin/child.js';
import { SetupError } from './run-step.js';
import { test } from './test.js';

/** A task takes `{ root, node, args }` and resolves to `{ code, signal }` of its program. */
export function findTask(name, root) {
  if (name === 'start') return runScript('examples/demo/start.ts');
  if (name === 'test') return test;
  const [, kind, folder] = /^(bench|fault|e2e):([a-z0-9-]+)$/.exec(name ?? '') ?? [];
  if (folder && existsSync(join(root, kind, folder, 'run.ts'))) return runScript(`${kind}/${folder}/run.ts`);
  throw new SetupError(
    `${name === undefined ? 'No task given' : `Unknown task ${name}`}. Tasks: start, test, bench:<folder of bench/>, fault:<folder of fault/>, e2e:<folder of e2e/>.`,
  );
}

// Early releases of Node 24 warn about type stripping, which would be the first line of the demo.
function runScript(path) {
  const flags = ['--disable-warning=ExperimentalWarning'];
  return ({ root, node, args }) => runChild(node, [...flags, path, ...args], { cwd: root });
}
