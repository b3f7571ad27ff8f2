import { resolve } from 'node:path';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, withStores } from './session.ts';
import { print, printJson, type Terminal } from './terminal.ts';

/** `toolgate store backup <file>`: a consistent copy of the SQLite store, while gateways go on. */
export function storeBackup(terminal: Terminal, file: string, options: CommonOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const target = resolve(file);
    await gateway.backUp(target);
    if (options.json) printJson(terminal, { file: target });
    else print(terminal, `Backup written to ${target}.`);
    return EXIT.ok;
  });
}
