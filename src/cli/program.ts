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
import { storeBackup } from './store.ts';
import type { Terminal } from './terminal.ts';
import { view } from './view.ts';

/** Creates every command with its options and examples. */
export function createProgram(terminal: Terminal, exitWith: (code: ExitCode) => void): Command {
  const root = new Command('toolgate')
    .description('One governed gateway between AI agents and every tool they use.')
    .version(PRODUCT.version)
    .exitOverride()
    .showHelpAfterError(
      '(See toolgate --help for the commands, and toolgate COMMAND --help for the options.)',
    )
    .addHelpText('after', ROOT_HELP);
  const context: CliContext = {
    terminal,
    run:
      (action) =>
      async (...args) =>
        exitWith(await action(...args)),
  };
  addServing(root, context);
  addToolUse(root, context);
  addCatalog(root, context);
  addCalls(root, context);
  addExamples(root, context);
  addStore(root, context);
  addSetup(root, context);
  return root;
}

interface CliContext {
  readonly terminal: Terminal;
  /** Wraps a command so that its result becomes the exit code. */
  run<Args extends unknown[]>(action: (...args: Args) => Promise<ExitCode>): (...args: Args) => Promise<void>;
}

interface CommandHelp {
  readonly description: string;
  readonly examples: readonly string[];
}

function addCommand(parent: Command, name: string, { description, examples }: CommandHelp): Command {
  return parent
    .command(name)
    .description(description)
    .option('-c, --config <file>', 'config file of Toolgate or of an MCP client')
    .option('--json', 'print the result as JSON on standard output, and nothing else')
    .option('-q, --quiet', 'do not print progress on standard error')
    .addHelpText('after', examplesText(examples));
}

/** Adds a command that only has subcommands. */
function addGroup(parent: Command, name: string, { description, examples }: CommandHelp): Command {
  return parent.command(name).description(description).addHelpText('after', examplesText(examples));
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}\n`;
}

function addServing(root: Command, { terminal, run }: CliContext): void {
  addCommand(root, 'serve', {
    description: 'serve MCP over HTTP until a signal',
    examples: ['toolgate serve', 'toolgate serve --port 0 --json'],
  })
    .option('-p, --port <port>', 'port to listen on; 0 picks a free one', wholeNumber)
    .option('--host <host>', 'address to listen on')
    .action(run((options) => serve(terminal, options)));
  addCommand(root, 'stdio', {
    description: 'serve MCP over stdio until the client closes it',
    examples: ['toolgate stdio --config toolgate.yaml'],
  }).action(run((options) => stdio(terminal, options)));
}

function addToolUse(root: Command, { terminal, run }: CliContext): void {
  addCommand(root, 'browse <query-or-path>', {
    description: 'find tools by a query, or list a path of the catalog',
    examples: [
      'toolgate browse "send a message"',
      'toolgate browse "money back" --explain',
      'toolgate browse /',
      'toolgate browse /everything --json',
    ],
  })
    .option('-k, --top-k <n>', 'maximum number of cards', wholeNumber)
    .option('--explain', 'show how each score is composed')
    .option('--wait <ms>', 'time to wait for upstreams that start slowly', wholeNumber)
    .action(run((queryOrPath, options) => browse(terminal, queryOrPath, options)));
  addCommand(root, 'affordances <objective>', {
    description: 'describe the tools for an objective, within a token budget, for use in a prompt',
    examples: ['toolgate affordances "triage the new issues" --budget 2000'],
  })
    .option('-b, --budget <tokens>', 'maximum length in cl100k tokens', wholeNumber, 2_000)
    .action(run((objective, options) => affordances(terminal, objective, options)));
  addCommand(root, 'call <tool> [args]', {
    description: 'call a tool',
    examples: [
      `toolgate call /everything/echo '{"message":"hi"}'`,
      'toolgate call /everything/get-sum --dry-run',
      'cat args.json | toolgate call /memory/create_entities -',
    ],
  })
    .option('--dry-run', 'check the call without executing it; without args, show the schema')
    .option('--key <key>', 'idempotency key: calls with the same key are executed once')
    .option('--timeout <ms>', 'deadline of the call (ms)', wholeNumber)
    .action(run((tool, args, options) => call(terminal, { tool, args }, options)));
  addCommand(root, 'view <handle> [selector]', {
    description: 'read a part of a long result',
    examples: [
      'toolgate view art_0123456789abcdef01234567',
      `toolgate view art_0123456789abcdef01234567 '{"lines":{"start":1,"end":40}}'`,
    ],
  }).action(run((handle, selector, options) => view(terminal, { handle, selector }, options)));
}

function addCatalog(root: Command, { terminal, run }: CliContext): void {
  const catalog = addGroup(root, 'catalog', {
    description: 'inspect the tools in the catalog',
    examples: ['toolgate catalog list', 'toolgate catalog report --json'],
  });
  addCommand(catalog, 'list', {
    description: 'list the tools that you may see',
    examples: ['toolgate catalog list', 'toolgate catalog list --all'],
  })
    .option('--all', 'include tools that you may not see')
    .action(run((options) => catalogList(terminal, options)));
  addCommand(catalog, 'show <tool>', {
    description: 'show the contract of a tool',
    examples: [
      'toolgate catalog show /everything/echo',
      'toolgate catalog show /everything/echo --at "#/properties/message"',
    ],
  })
    .option('--at <pointer>', 'show only this part of the input schema (JSON Pointer)')
    .option('--all', 'include tools that you may not see')
    .action(run((tool, options) => catalogShow(terminal, tool, options)));
  addCommand(catalog, 'report', {
    description: 'list the tools that were repaired, refused or flagged, with the reasons',
    examples: ['toolgate catalog report'],
  }).action(run((options) => catalogReport(terminal, options)));
}

function addCalls(root: Command, { terminal, run }: CliContext): void {
  const calls = addGroup(root, 'calls', {
    description: 'inspect calls and resolve unknown outcomes',
    examples: ['toolgate calls list --status failed', 'toolgate calls unresolved'],
  });
  addCommand(calls, 'list', {
    description: 'list receipts, newest first',
    examples: ['toolgate calls list --limit 20 --tool everything:echo'],
  })
    .option('-n, --limit <n>', 'maximum number of calls', positiveInteger, 50)
    .option('--tool <tool>', 'only calls of this tool: an id, namespace:name or /namespace/name')
    .option('--principal <id>', 'only calls of this caller')
    .addOption(
      new Option('--status <status>', 'only calls with this status').choices([
        ...['ok', 'failed', 'pending', 'dry_run', 'unknown'],
      ]),
    )
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices([...ENTRY_KINDS]))
    .option('--since <time>', 'only entries of this time or later (ISO 8601)', parseTime)
    .option('--until <time>', 'only entries before this time (ISO 8601)', parseTime)
    .option('--before <n>', 'only entries listed after the one with this sequence number', positiveInteger)
    .action(run((options) => callsList(terminal, options)));
  addCommand(calls, 'show <call>', {
    description: 'show every log entry of a call',
    examples: ['toolgate calls show 0b5e8a52-8d0c-4c0e-9b8d-3f0c2f6f5a11'],
  }).action(run((callId, options) => callsShow(terminal, callId, options)));
  addCommand(calls, 'tail', {
    description: 'print log entries as they are written, until Ctrl-C',
    examples: ['toolgate calls tail --json | jq .receipt.toolId'],
  }).action(run((options) => callsTail(terminal, options)));
  addCommand(calls, 'prune', {
    description: 'remove old entries of the log; entries of unresolved calls stay',
    examples: ['toolgate calls prune --keep-days 30 --dry-run', 'toolgate calls prune --before 2026-01-01'],
  })
    .option('--before <time>', 'remove entries before this time (ISO 8601)', parseTime)
    .option(
      '--keep-days <n>',
      'remove entries older than this many days (default: receipts.keepDays)',
      positiveInteger,
    )
    .option('--dry-run', 'count the entries and remove nothing')
    .action(run((options) => callsPrune(terminal, options)));
  addCommand(calls, 'unresolved', {
    description: 'list calls whose outcome is unknown',
    examples: ['toolgate calls unresolved'],
  })
    .option('-n, --limit <n>', 'maximum number of calls', positiveInteger, 50)
    .action(run((options) => callsUnresolved(terminal, options)));
  addCommand(calls, 'resolve <call>', {
    description: 'record whether an unresolved call was executed',
    examples: [
      'toolgate calls resolve 0b5e8a52-8d0c-4c0e-9b8d-3f0c2f6f5a11 --executed --message "invoice 7 is paid"',
      'toolgate calls resolve 0b5e8a52-8d0c-4c0e-9b8d-3f0c2f6f5a11 --not-executed --reason "no such invoice"',
    ],
  })
    .option('--executed', 'the call had its effect: later calls with its key get this as their result')
    .option('--not-executed', 'the call had no effect: its key is released, and the call can be made again')
    .option('--message <text>', 'text for later callers with the same key')
    .option('--force', 'resolve the call although a running gateway still waits for its answer')
    .option('--reason <text>', 'your evidence; stored with your user name in the receipt of the resolution')
    .action(run((callId, options) => callsResolve(terminal, callId, options)));
}

function addExamples(root: Command, { terminal, run }: CliContext): void {
  const examples = addGroup(root, 'examples', {
    description: 'inspect the usage examples that ranking has learned',
    examples: ['toolgate examples list', 'toolgate examples clear'],
  });
  addCommand(examples, 'list', {
    description: 'list every learned query with the tool that was called',
    examples: ['toolgate examples list', 'toolgate examples list --json'],
  })
    .option('--owner <owner>', 'only the usage examples of this owner')
    .action(run((options) => examplesList(terminal, options)));
  addCommand(examples, 'clear', {
    description: 'delete usage examples',
    examples: ['toolgate examples clear'],
  })
    .option('--owner <owner>', 'only the usage examples of this owner')
    .action(run((options) => examplesClear(terminal, options)));
}

function addStore(root: Command, { terminal, run }: CliContext): void {
  const examples = ['toolgate store backup toolgate-backup.sqlite'];
  const store = addGroup(root, 'store', { description: 'operate the SQLite store', examples });
  const description = 'write a consistent copy of the SQLite store to a new file, also while it is in use';
  const backup = addCommand(store, 'backup <file>', { description, examples });
  backup.action(run((file, options) => storeBackup(terminal, file, options)));
}

function addSetup(root: Command, { terminal, run }: CliContext): void {
  addCommand(root, 'import', {
    description: 'create a config from the MCP clients on this machine',
    examples: ['toolgate import', 'toolgate import --from ~/.cursor/mcp.json --yes'],
  })
    .option('--from <file>', 'read this file instead of the known locations')
    .option('-y, --yes', 'write without confirmation')
    .action(run((options) => importClients(terminal, options)));
  addCommand(root, 'doctor', {
    description: 'start every upstream and report its state',
    examples: ['toolgate doctor', 'toolgate doctor --json'],
  }).action(run((options) => doctor(terminal, options)));
  const config = addGroup(root, 'config', {
    description: 'inspect the configuration',
    examples: ['toolgate config explain', 'toolgate config schema > toolgate.schema.json'],
  });
  addCommand(config, 'explain', {
    description: 'show every key with its value and origin',
    examples: ['toolgate config explain', 'toolgate config explain --json'],
  }).action(run((options) => configExplain(terminal, options)));
  addCommand(config, 'schema', {
    description: 'print the JSON Schema of the config file, for editors',
    examples: ['toolgate config schema > toolgate.schema.json'],
  }).action(run(() => configSchema(terminal)));
}

const ROOT_HELP = `
Examples:
  toolgate import                      create toolgate.yaml from the MCP clients on this machine
  toolgate doctor                      check every upstream
  toolgate browse "read a file"        find tools
  toolgate serve                       serve every tool at one URL

Exit codes: 0 success, 1 the gateway failed, 2 invalid command or config, 3 the call was refused, failed or found
nothing, 4 an upstream is not ready, a tool was refused or a call is unresolved.
`;

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be a time such as 2026-01-31.');
  return time;
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
