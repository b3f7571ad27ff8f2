import { createInterface } from 'node:readline/promises';
import { type ClientFile, findClientFiles } from '../app/client-files.ts';
import { planImport, writeImport } from '../app/import-plan.ts';
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
  if (options.json && !options.yes) {
    printJson(terminal, { written: false, ...plan });
    return EXIT.ok;
  }
  if (!options.json) {
    for (const file of files) print(terminal, fileLine(file));
    for (const { name, from, action } of plan.upstreams)
      print(terminal, `  ${action.padEnd(8)} ${name}  (${from})`);
  }
  if (!plan.upstreams.some(({ action }) => action === 'add')) {
    if (options.json) printJson(terminal, { written: false, ...plan });
    else print(terminal, 'Nothing to add.');
    return files.length > 0 ? EXIT.ok : EXIT.refused;
  }
  const agreed = options.yes || (await confirmed(terminal, `Write ${plan.target}?`));
  if (!agreed) {
    say(terminal, `Nothing was written. Run it again with --yes to write ${plan.target}.`);
    return EXIT.ok;
  }
  const { backup } = writeImport(plan);
  if (options.json) printJson(terminal, { written: true, backup, ...plan });
  else
    print(
      terminal,
      `Wrote ${plan.target}${backup ? ` (the old one is ${backup})` : ''}. Next: toolgate doctor`,
    );
  return EXIT.ok;
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
