import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, withGateway } from './session.ts';
import { print, printJson, type Terminal } from './terminal.ts';

export interface BrowseOptions extends CommonOptions {
  readonly topK?: number;
}

/** `toolgate browse "query"|/path`: the cards that an agent would see. */
export function browse(terminal: Terminal, what: string, options: BrowseOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ gateway }) => {
    const request = what.startsWith('/') ? { path: what } : { query: what };
    const answer = await gateway.house.browse(gateway.localUser, {
      ...request,
      ...(options.topK !== undefined && { topK: options.topK }),
    });
    if (options.json) printJson(terminal, { cards: answer.cards, unavailable: answer.unavailable });
    else print(terminal, answer.text);
    return answer.cards.length > 0 ? EXIT.ok : EXIT.refused;
  });
}
