import { Command, InvalidArgumentError, Option } from 'commander';
import { ENTRY_KINDS } from '../contract/ports/receipt-log.ts';
import { PRODUCT } from '../contract/product.ts';
import { affordances } from './affordances.ts';
import { browse } from './browse.ts';
import { call } from './call.ts';
import { callsList, callsPrune, callsResolve, callsShow, callsTail, callsUnresolved } from './calls.ts';
import { catalogList, catalogReport, catalogShow } from './catalog.ts';
import { configExplain, configSchema } from './config.ts';
import { doctor } from './doctor.ts';
import { examplesClear, examplesList } from './examples.ts';
import type { ExitCode } from './exit-codes.ts';
import { importClients } from './import.ts';
import { serve } from './serve.ts';
import { stdio } from './stdio.ts';
import type { Terminal } from './terminal.ts';
import { view } from './view.ts';

/** Every verb of the command line, with its options and an example. */
export function program(terminal: Terminal, exitWith: (code: ExitCode) => void): Command {
  const root = new Command('toolgate')
    .description('One governed door between AI agents and every tool they use.')
    .version(PRODUCT.version)
    .exitOverride()
    .showHelpAfterError('(toolgate --help shows the commands, toolgate COMMAND --help their options)')
    .addHelpText('after', ROOT_HELP);
  const desk: CliContext = {
    terminal,
    run:
      (action) =>
      async (...args) =>
        exitWith(await action(...args)),
  };
  addServing(root, desk);
  addToolUse(root, desk);
  addCatalog(root, desk);
  addCalls(root, desk);
  addExamples(root, desk);
  addCare(root, desk);
  return root;
}

interface CliContext {
  readonly terminal: Terminal;
  /** Lets a command's answer become the exit code. */
  run<Args extends unknown[]>(action: (...args: Args) => Promise<ExitCode>): (...args: Args) => Promise<void>;
}

function addCommand(
  parent: Command,
  name: string,
  description: string,
  examples: readonly string[],
): Command {
  return parent
    .command(name)
    .description(description)
    .option('-c, --config <file>', "config file, Toolgate's own or an MCP client's")
    .option('--json', 'answer as JSON on standard output, and nothing else there')
    .option('-q, --quiet', 'no progress on standard error')
    .addHelpText('after', examplesText(examples));
}

/** A verb that only gathers others. */
function group(parent: Command, name: string, description: string, examples: readonly string[]): Command {
  return parent.command(name).description(description).addHelpText('after', examplesText(examples));
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}\n`;
}

function addServing(root: Command, { terminal, run }: CliContext): void {
  addCommand(root, 'serve', 'serve MCP over HTTP until a signal', [
    'toolgate serve',
    'toolgate serve --port 0 --json',
  ])
    .option('-p, --port <port>', 'port to listen on; 0 takes a free one', wholeNumber)
    .option('--host <host>', 'address to listen on')
    .action(run((options) => serve(terminal, options)));
  addCommand(root, 'stdio', 'serve MCP on standard input and output', [
    'toolgate stdio --config toolgate.yaml',
  ]).action(run((options) => stdio(terminal, options)));
}

function addToolUse(root: Command, { terminal, run }: CliContext): void {
  addCommand(root, 'browse <query-or-path>', 'find tools as an agent would', [
    'toolgate browse "send a message"',
    'toolgate browse "money back" --explain',
    'toolgate browse /',
    'toolgate browse /everything --json',
  ])
    .option('-k, --top-k <n>', 'at most this many cards', wholeNumber)
    .option('--explain', 'why each card has its score')
    .action(run((what, options) => browse(terminal, what, options)));
  addCommand(
    root,
    'affordances <objective>',
    'what a prompt should say of the tools, within a budget of tokens',
    ['toolgate affordances "triage the new issues" --budget 2000'],
  )
    .option('-b, --budget <tokens>', 'at most this many cl100k tokens', wholeNumber, 2_000)
    .action(run((objective, options) => affordances(terminal, objective, options)));
  addCommand(root, 'call <tool> [args]', 'call a tool through all six phases', [
    `toolgate call /everything/echo '{"message":"hi"}'`,
    'toolgate call /everything/get-sum --dry-run',
    'cat args.json | toolgate call /memory/create_entities -',
  ])
    .option('--dry-run', 'check everything, call nothing; without args, show the schema')
    .option('--key <key>', 'idempotency key: the same key is the same call')
    .option('--timeout <ms>', 'give up after this many milliseconds', wholeNumber)
    .action(run((tool, args, options) => call(terminal, { tool, args }, options)));
  addCommand(root, 'view <handle> [selector]', 'read more of a long result', [
    'toolgate view art_0123456789abcdef01234567',
    `toolgate view art_0123456789abcdef01234567 '{"lines":{"start":1,"end":40}}'`,
  ]).action(run((handle, selector, options) => view(terminal, { handle, selector }, options)));
}

function addCatalog(root: Command, { terminal, run }: CliContext): void {
  const catalog = group(root, 'catalog', 'what is in the catalog, and what became of the rest', [
    'toolgate catalog list',
    'toolgate catalog report --json',
  ]);
  addCommand(catalog, 'list', 'every tool', ['toolgate catalog list']).action(
    run((options) => catalogList(terminal, options)),
  );
  addCommand(catalog, 'show <tool>', 'the whole contract of a tool', [
    'toolgate catalog show /everything/echo',
    'toolgate catalog show /everything/echo --at "#/properties/message"',
  ])
    .option('--at <pointer>', 'only this part of its input schema')
    .action(run((tool, options) => catalogShow(terminal, tool, options)));
  addCommand(catalog, 'report', 'what was repaired, refused or flagged, and why', [
    'toolgate catalog report',
  ]).action(run((options) => catalogReport(terminal, options)));
}

function addCalls(root: Command, { terminal, run }: CliContext): void {
  const calls = group(root, 'calls', 'what was called, and what became of it', [
    'toolgate calls list --status failed',
    'toolgate calls unresolved',
  ]);
  addCommand(calls, 'list', 'receipts, newest first', [
    'toolgate calls list --limit 20 --tool everything:echo#1234abcd',
  ])
    .option('-n, --limit <n>', 'at most this many', countFromOne, 50)
    .option('--tool <id>', 'only calls of this tool')
    .option('--principal <id>', 'only calls of this caller')
    .addOption(
      new Option('--status <status>', 'only calls that ended so').choices([
        ...['ok', 'failed', 'pending', 'dry_run', 'unknown'],
      ]),
    )
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices([...ENTRY_KINDS]))
    .option('--since <time>', 'only entries of this time or later (ISO 8601)', parseTime)
    .option('--until <time>', 'only entries before this time (ISO 8601)', parseTime)
    .option('--before <n>', 'only entries listed after the one with this sequence number', countFromOne)
    .action(run((options) => callsList(terminal, options)));
  addCommand(calls, 'show <call>', 'every log entry of a call', [
    'toolgate calls show 0b5e8a52-8d0c-4c0e-9b8d-3f0c2f6f5a11',
  ]).action(run((callId, options) => callsShow(terminal, callId, options)));
  addCommand(calls, 'tail', 'receipts as they are written, until Ctrl-C', [
    'toolgate calls tail --json | jq .receipt.toolId',
  ]).action(run((options) => callsTail(terminal, options)));
  addCommand(calls, 'prune', 'remove old entries of the log; entries of unresolved calls stay', [
    'toolgate calls prune --keep-days 30 --dry-run',
    'toolgate calls prune --before 2026-01-01',
  ])
    .option('--before <time>', 'remove entries before this time (ISO 8601)', parseTime)
    .option(
      '--keep-days <n>',
      'remove entries older than this many days (default: receipts.keepDays)',
      countFromOne,
    )
    .option('--dry-run', 'count the entries and remove nothing')
    .action(run((options) => callsPrune(terminal, options)));
  addCommand(calls, 'unresolved', 'calls whose outcome is unknown', ['toolgate calls unresolved'])
    .option('-n, --limit <n>', 'at most this many', countFromOne, 50)
    .action(run((options) => callsUnresolved(terminal, options)));
  addCommand(calls, 'resolve <call>', 'record whether an unresolved call was executed', [
    'toolgate calls resolve 0b5e8a52-8d0c-4c0e-9b8d-3f0c2f6f5a11 --executed --message "invoice 7 is paid"',
    'toolgate calls resolve 0b5e8a52-8d0c-4c0e-9b8d-3f0c2f6f5a11 --not-executed --reason "no such invoice"',
  ])
    .option('--executed', 'the effect happened: later calls with its key get that as their result')
    .option('--not-executed', 'the effect did not happen: its key is free and the call can be made again')
    .option('--message <text>', 'text added to what later callers receive')
    .option('--reason <text>', 'your evidence; kept with your name in the receipt of the resolution')
    .action(run((callId, options) => callsResolve(terminal, callId, options)));
}

function addExamples(root: Command, { terminal, run }: CliContext): void {
  const examples = group(root, 'examples', 'what rankings learned from requests that led to a call', [
    'toolgate examples list',
    'toolgate examples clear',
  ]);
  addCommand(examples, 'list', 'every request with the tool that answered it', [
    'toolgate examples list --json',
  ])
    .option('--owner <owner>', 'only what was learned from this one')
    .action(run((options) => examplesList(terminal, options)));
  addCommand(examples, 'clear', 'forget them', ['toolgate examples clear'])
    .option('--owner <owner>', 'only what was learned from this one')
    .action(run((options) => examplesClear(terminal, options)));
}

function addCare(root: Command, { terminal, run }: CliContext): void {
  addCommand(root, 'import', "make a config from the MCP clients' configs on this machine", [
    'toolgate import',
    'toolgate import --from ~/.cursor/mcp.json --yes',
  ])
    .option('--from <file>', 'this file instead of the known places')
    .option('-y, --yes', 'write without asking')
    .action(run((options) => importClients(terminal, options)));
  addCommand(root, 'doctor', 'start everything and say what works', [
    'toolgate doctor',
    'toolgate doctor --json',
  ]).action(run((options) => doctor(terminal, options)));
  const config = group(root, 'config', 'what the configuration says', [
    'toolgate config explain',
    'toolgate config schema > toolgate.schema.json',
  ]);
  addCommand(config, 'explain', 'every key, its value and where it came from', [
    'toolgate config explain',
    'toolgate config explain --json',
  ]).action(run((options) => configExplain(terminal, options)));
  addCommand(config, 'schema', 'the JSON Schema of the config, for editors', [
    'toolgate config schema > toolgate.schema.json',
  ]).action(run(() => configSchema(terminal)));
}

const ROOT_HELP = `
Examples:
  toolgate import                      make toolgate.yaml from the MCP clients on this machine
  toolgate doctor                      see what works
  toolgate browse "read a file"        what an agent would find
  toolgate serve                       one URL for every agent

Exit codes: 0 done, 1 the gateway failed, 2 wrong command or config, 3 the call was refused, failed or found nothing,
4 some upstream is not available or some tool was refused.
`;

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be a time such as 2026-01-31.');
  return time;
}

function countFromOne(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
