import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Results } from '../bench/call-path/results.ts';

const RUN = fileURLToPath(new URL('../bench/call-path/run.ts', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-bench-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('bench:call-path', () => {
  test('measures every target without a wrong answer', async () => {
    const out = join(folder, 'results.json');
    const sizes = ['--calls', '4', '--rounds', '2', '--in-flight', '1,3'];
    const { code, stdout, stderr } = await runBench([...sizes, '--out', out, '--json']);

    const results = JSON.parse(stdout) as Results;
    expect(results.failures).toEqual([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(results);
    const names = [
      'upstream',
      'toolgate',
      'toolgate-keyed',
      'toolgate-traced',
      'mcp-proxy',
      'supergateway',
      'toolgate-2026',
      'mcp-proxy-2026',
      'http-upstream',
      'toolgate-http',
      'http-upstream-2026',
      'toolgate-http-2026',
    ];
    for (const inFlight of [1, 3]) {
      const cells = results.cells.filter((cell) => cell.inFlight === inFlight);
      expect(cells.map(({ name }) => name)).toEqual(names);
    }
    for (const { wrong, callsPerSecond, p50Ms, p99Ms, toMcpProxy } of results.cells) {
      expect(wrong).toBe(0);
      expect(callsPerSecond).toBeGreaterThan(0);
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
      expect(toMcpProxy?.callsPerSecond).toBeGreaterThan(0);
    }
    expect(results.servers.every(({ firstAnswerMs }) => firstAnswerMs > 0)).toBe(true);
    expect(results.acceptance?.inFlight).toBe(3);
  });

  test('refuses an unknown target with exit code 2', async () => {
    const { code, stderr } = await runBench(['--only', 'missing']);
    expect(code).toBe(2);
    expect(stderr).toContain('Unknown target "missing"');
  });
});

function runBench(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [RUN, ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}
