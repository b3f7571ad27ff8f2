import { createInterface } from 'node:readline/promises';
import { maskDeep } from '../app/config/secret-mask.ts';
import { type ClientFile, findClientFiles } from '../app/import/client-files.ts';
import { type ImportPlan, planImport } from '../app/import/plan.ts';
import { writeImport } from '../app/import/write.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { CommonOptions } from './session.ts';
import { print, printJson, printStderr, type Terminal } from './terminal.ts';

export interface ImportOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly from?: string;
}

/** `toolgate import`: finds the servers of MCP clients, shows the plan, writes it after confirmation and keeps a backup. */
export async function importClients(terminal: Terminal, options: ImportOptions): Promise<ExitCode> {
  const files = findClientFiles(options.from);
  const plan = planImport(files, options.config ?? 'toolgate.yaml');
  const exitCode = files.some(({ problem }) => problem === undefined) ? EXIT.ok : EXIT.refused;
  const hasAdditions = plan.upstreams.some(({ action }) => action === 'add');
  if (options.json) {
    const written = hasAdditions && options.yes === true;
    const backup = written ? writeImport(plan).backup : undefined;
    printJson(terminal, { written, backup, files: files.map(withoutServers), ...printable(plan) });
    return exitCode;
  }
  for (const file of files) print(terminal, fileLine(file));
  for (const { name, from, action, notes } of plan.upstreams) {
    print(terminal, `  ${action.padEnd(8)} ${name}  (${from})`);
    for (const note of notes) print(terminal, `             ${note}`);
  }
  if (!hasAdditions) {
    print(terminal, files.length > 0 ? 'No servers to add.' : NO_CLIENTS);
    return exitCode;
  }
  if (!options.yes && !(await confirm(terminal, `Write ${plan.target}?`))) {
    printStderr(terminal, `Nothing was written. To write ${plan.target}, run the command again with --yes.`);
    return EXIT.ok;
  }
  const { backup } = writeImport(plan);
  print(terminal, `Wrote ${plan.target}.${backup ? ` Backup: ${backup}` : ''}`);
  print(terminal, 'Next: toolgate doctor');
  return EXIT.ok;
}

const NO_CLIENTS =
  'No MCP client config was found at the known locations. Name one: toolgate import --from FILE';

/** Masks secrets: client configs hold them in plain text, and printed output ends up in logs. */
function printable({ target, upstreams }: ImportPlan): object {
  return {
    target,
    upstreams: upstreams.map(({ entry, ...planned }) => ({ ...planned, entry: maskDeep(entry) })),
  };
}

function withoutServers({ client, file, problem, servers }: ClientFile): object {
  return { client, file, problem, servers: Object.keys(servers).length };
}

function fileLine({ client, file, problem, servers }: ClientFile): string {
  return problem ? `${client}: ${file}: ${problem}` : `${client}: ${file}: ${serverCount(servers)}`;
}

function serverCount(servers: ClientFile['servers']): string {
  const { length } = Object.keys(servers);
  return `${length} ${length === 1 ? 'server' : 'servers'}`;
}

async function confirm({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  if (!stdin.isTTY) return false;
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim());
  } finally {
    prompt.close();
  }
}
