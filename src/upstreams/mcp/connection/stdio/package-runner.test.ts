import { expect, it } from 'vitest';
import { isPackageRunner } from './package-runner.ts';

it.each([
  ['npx -y server', true],
  ['/usr/local/bin/npx server', true],
  ['C:\\node\\npx.cmd server', true],
  ['cmd /c npx server', true],
  ['npm exec server', true],
  ['npm --silent exec server', true],
  ['npm start', false],
  ['uvx server', true],
  ['uv run server.py', true],
  ['bunx server', true],
  ['pnpm dlx server', true],
  ['pipx run server', true],
  ['docker run -i --rm server', true],
  ['docker exec -i box server', false],
  ['node server.js', false],
])('%s downloads a package: %s', (line, expected) => {
  const [command = '', ...args] = line.split(' ');
  expect(isPackageRunner({ command, args })).toBe(expected);
});
