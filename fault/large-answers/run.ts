/** `npm run fault:large-answers`: upstreams send far too much to a gateway with 1 GB of memory, which must survive it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MEGABYTE, startHostile } from './hostile-upstream.ts';
import { LimitedGateway } from './limited-gateway.ts';

const HELP = `npm run fault:large-answers -- [--memory MEGABYTES]

Sends answers of up to 600 MB, plain, compressed and as one event, several large ones at once, and tool lists without an end
to a gateway that may use 1024 MB of memory (--memory). Prints one line for each. The exit code is 1 if the gateway ends, or if
a call to another upstream fails meanwhile.
`;

/** What a call gets: a result, the error that states the limit, or any other error. */
type Answer = 'answered' | 'refused' | 'failed';

interface Scenario {
  readonly title: string;
  readonly form: 'json' | 'gzip' | 'event' | 'stuck';
  readonly megabytes: number;
  readonly calls: number;
  readonly expected: Answer;
}

const TIMEOUT_MS = 120_000;
/** For answers without an end. */
const STUCK_TIMEOUT_MS = 10_000;

const SCENARIOS: readonly Scenario[] = [
  { title: '600 MB as JSON', form: 'json', megabytes: 600, calls: 1, expected: 'refused' },
  { title: '600 MB compressed', form: 'gzip', megabytes: 600, calls: 1, expected: 'refused' },
  { title: '600 MB as one event', form: 'event', megabytes: 600, calls: 1, expected: 'refused' },
  { title: '4 × 100 MB at once', form: 'json', megabytes: 100, calls: 4, expected: 'refused' },
  { title: '64 × 100 MB at once', form: 'event', megabytes: 100, calls: 64, expected: 'refused' },
  { title: '16 MB, below the limit', form: 'json', megabytes: 16, calls: 1, expected: 'answered' },
  { title: '8 × 16 MB at once', form: 'gzip', megabytes: 16, calls: 8, expected: 'answered' },
  // The last one: it opens the circuit of the upstream.
  { title: '64 × 30 MB without an end', form: 'stuck', megabytes: 30, calls: 64, expected: 'failed' },
];

const { values } = parseArgs({
  options: { memory: { type: 'string', default: '1024' }, help: { type: 'boolean' } },
});
if (values.help) process.stdout.write(HELP);
else if (!/^[1-9]\d{2,5}$/.test(values.memory)) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else process.exitCode = await main(Number(values.memory) * MEGABYTE);

async function main(limitBytes: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'toolgate-fault-'));
  const upstreams = await Promise.all([
    startHostile(),
    startHostile(),
    startHostile('body'),
    startHostile('pages'),
  ]);
  const [large, good, body, pages] = upstreams.map(({ url }) => ({ url }));
  writeFileSync(join(home, 'toolgate.json'), JSON.stringify({ upstreams: { large, good, body, pages } }));
  const gateway = new LimitedGateway({ home, limitBytes });
  if (!gateway.hasGroup)
    process.stdout.write('No control group can be created here: only the heap is limited.\n');
  let failures = 0;
  const report = (title: string, result: string, isCorrect: boolean): void => {
    const peak = gateway.isRunning && gateway.peakBytes;
    const memory = peak ? `, peak ${Math.round(peak / MEGABYTE)} MB` : '';
    process.stdout.write(`${isCorrect ? 'ok  ' : 'FAIL'} ${title}: ${result}${memory}\n`);
    if (!isCorrect) failures++;
  };
  try {
    await gateway.ready();
    const isServed = (await call(gateway.url, 'good', {})) === 'answered';
    report('tool lists without an end', isServed ? 'others are served' : 'others fail', isServed);
    for (const scenario of SCENARIOS) {
      const { result, isCorrect } = await run(gateway, scenario);
      report(scenario.title, result, isCorrect);
      if (!gateway.isRunning) break;
    }
  } finally {
    await gateway.stop();
    for (const upstream of upstreams) upstream.stop();
    rmSync(home, { recursive: true, force: true });
  }
  return failures === 0 ? 0 : 1;
}

async function run(
  gateway: LimitedGateway,
  { form, megabytes, calls, expected }: Scenario,
): Promise<{ result: string; isCorrect: boolean }> {
  const large = Array.from({ length: calls }, () => call(gateway.url, 'large', { form, megabytes }));
  const beside = call(gateway.url, 'good', {});
  const answers = await Promise.all([...large, beside]);
  if (!gateway.isRunning) return { result: 'the gateway ended', isCorrect: false };
  const other = answers.pop();
  const asExpected = answers.filter((answer) => answer === expected).length;
  return {
    result: `${asExpected} of ${calls} ${expected}, the call beside it ${other}`,
    isCorrect: asExpected === calls && other === 'answered',
  };
}

async function call(
  url: string,
  upstream: string,
  args: Pick<Partial<Scenario>, 'form' | 'megabytes'>,
): Promise<Answer> {
  const params = { name: 'tool_execute', arguments: { tool_id: `/${upstream}/large`, args } };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'toolgate-timeout-ms': String(args.form === 'stuck' ? STUCK_TIMEOUT_MS : TIMEOUT_MS),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const text = await response.text();
    if (text.includes('maxAnswerBytes')) return 'refused';
    return response.ok && !text.includes('"isError":true') ? 'answered' : 'failed';
  } catch {
    return 'failed';
  }
}
