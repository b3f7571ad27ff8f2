import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, say, type Terminal } from './terminal.ts';

export interface AffordancesOptions extends CommonOptions {
  readonly budget: number;
}

/** `toolgate affordances "objective" --budget N`: what a prompt should say of the tools, within a budget of tokens. */
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
      say(
        terminal,
        `(${tokens} tokens, ${tokensLeft} left: ${indexed} tools named, ${schemas.length} schemas, ${references.length} references)`,
      );
    }
    return EXIT.ok;
  });
}
