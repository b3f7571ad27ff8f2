/** `npm run e2e:clients`: real clients with a scripted model find a tool, call it and read a long file through Toolgate. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { CLIENTS, type Client } from './clients.ts';
import { type InstalledClient, installClient } from './install.ts';
import { runTask, type TaskReport } from './task.ts';

const HELP = `npm run e2e:clients -- [options]

  --client claude|codex   only this client (default: both)
  --installed FOLDER      a folder with installed clients, or where to install them (default: a temporary one)

Installs the clients from npm, about 800 MB. A scripted model on loopback browses, calls a tool and reads a file of 7 kB to
its end. Prints what each client showed the model. The exit code is 1 if a check fails.

Examples:
  npm run e2e:clients
  npm run e2e:clients -- --client codex --installed ./clients
`;

const { values } = parseArgs({
  options: { client: { type: 'string' }, installed: { type: 'string' }, help: { type: 'boolean' } },
});
const wanted = values.client === undefined ? Object.keys(CLIENTS) : [values.client];

if (values.help) process.stdout.write(HELP);
else if (!wanted.every((name) => Object.hasOwn(CLIENTS, name))) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-e2e-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  for (const name of wanted) {
    const client = CLIENTS[name]!;
    process.stderr.write(`installing ${client.npmPackage}\n`);
    const installed = await installClient(client, values.installed ?? join(folder, 'clients'));
    const work = join(folder, name);
    mkdirSync(work);
    const report = await runTask(client, installed, work);
    process.stdout.write(formatReport(client, installed, report));
    if (!report.checks.every(({ passed }) => passed)) process.exitCode = 1;
  }
}

function formatReport({ title }: Client, { version }: InstalledClient, report: TaskReport): string {
  const { checks, results, output } = report;
  const [cards = '', summary = '', ...views] = results.map((text) => String(countTokens(text)));
  const lines = [
    `${title} ${version}`,
    `  tokens that the model read: tool_browse ${cards}, tool_execute ${summary}, tool_view ${views.join(' + ')}`,
    ...checks.map(({ what, passed }) => `  ${passed ? 'ok    ' : 'FAILED'} ${what}`),
    ...(checks.every(({ passed }) => passed) ? [] : [`  the client printed: ${output}`]),
  ];
  return `${lines.join('\n')}\n\n`;
}
