import { createInterface } from 'node:readline/promises';
import { maskedDeep } from '../app/config/secret-mask.ts';
import { type ClientFile, findClientFiles } from '../app/import/client-files.ts';
import { type ImportPlan, planImport } from '../app/import/plan.ts';
import { writeImport } from '../app/import/write.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { CommonOptions } from './session.ts';
import { print, printJson, say, type Terminal } from './terminal.ts';

export interface ImportOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly from?: string;
}

/** `toolgate import`: finds what MCP clients already have, shows the plan, writes it after a yes, keeps a backup. */
export async function importClients(terminal: Terminal, options: ImportOptions): Promise<ExitCode> {
  const files = findClientFiles(options.from);
  const plan = planImport(files, options.config ?? 'toolgate.yaml');
  const found = files.some(({ problem }) => problem === undefined) ? EXIT.ok : EXIT.refused;
  const adds = plan.upstreams.some(({ action }) => action === 'add');
  if (options.json) {
    const written = adds && options.yes === true;
    const backup = written ? writeImport(plan).backup : undefined;
    printJson(terminal, { written, backup, files: files.map(withoutServers), ...printable(plan) });
    return found;
  }
  for (const file of files) print(terminal, fileLine(file));
  for (const { name, from, action } of plan.upstreams)
    print(terminal, `  ${action.padEnd(8)} ${name}  (${from})`);
  if (!adds) {
    print(terminal, files.length > 0 ? 'Nothing to add.' : NO_CLIENTS);
    return found;
  }
  if (!options.yes && !(await confirmed(terminal, `Write ${plan.target}?`))) {
    say(terminal, `Nothing was written. Run it again with --yes to write ${plan.target}.`);
    return EXIT.ok;
  }
  const { backup } = writeImport(plan);
  const old = backup ? ` (the old one is ${backup})` : '';
  print(terminal, `Wrote ${plan.target}${old}. Next: toolgate doctor`);
  return EXIT.ok;
}

const NO_CLIENTS =
  'No MCP client has a config in the places known here. Name one: toolgate import --from FILE';

/** Client configs hold secrets in plain text, and what is printed ends up in logs. */
function printable({ target, upstreams }: ImportPlan): object {
  return {
    target,
    upstreams: upstreams.map(({ entry, ...planned }) => ({ ...planned, entry: maskedDeep(entry) })),
  };
}

function withoutServers({ client, file, problem, servers }: ClientFile): object {
  return { client, file, problem, servers: Object.keys(servers).length };
}

function fileLine({ client, file, problem, servers }: ClientFile): string {
  return problem
    ? `${client}: ${file}: ${problem}`
    : `${client}: ${file}: ${Object.keys(servers).length} servers`;
}

async function confirmed({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  if (!stdin.isTTY) return false;
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim());
  } finally {
    prompt.close();
  }
}
