import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, printStderr, type Terminal } from './terminal.ts';

export interface AffordancesOptions extends CommonOptions {
  readonly budget: number;
}

/** `toolgate affordances "objective" --budget N`: a description of the useful tools for a prompt, within a token budget. */
export function affordances(
  terminal: Terminal,
  objective: string,
  options: AffordancesOptions,
): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ gateway }) => {
    const compiled = await gateway.api.affordances(localCaller(gateway), {
      objective,
      budget: options.budget,
    });
    if (options.json) printJson(terminal, compiled);
    else {
      print(terminal, compiled.text);
      const { tokens, tokensLeft, indexed, schemas, references } = compiled;
      printStderr(
        terminal,
        `${tokens} tokens used, ${tokensLeft} left: ${indexed} tools listed, ${schemas.length} with schema, ${references.length} references.`,
      );
    }
    return EXIT.ok;
  });
}
