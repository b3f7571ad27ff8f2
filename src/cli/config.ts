import { explainConfig } from '../app/config/explain.ts';
import { configJsonSchema } from '../app/config/schema.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, readConfig } from './session.ts';
import { print, printJson, type Terminal } from './terminal.ts';

/** `toolgate config explain`: every key with its value and its origin. */
export async function configExplain(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  const config = readConfig(options);
  const rows = explainConfig(config);
  if (options.json) printJson(terminal, { file: config.file, keys: rows });
  else {
    print(terminal, `file  ${config.file}`);
    for (const { key, value, origin } of rows)
      print(terminal, `${key} = ${JSON.stringify(value)}  (${origin})`);
  }
  return EXIT.ok;
}

/** `toolgate config schema`: the JSON Schema of the config file, for editors. */
export async function configSchema(terminal: Terminal): Promise<ExitCode> {
  printJson(terminal, configJsonSchema());
  return EXIT.ok;
}
