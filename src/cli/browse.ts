import type { Gateway } from '../app/gateway.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, type Terminal } from './terminal.ts';

type BrowseAnswer = Awaited<ReturnType<Gateway['api']['browse']>>;
type Explanations = NonNullable<BrowseAnswer['explanations']>;

export interface BrowseOptions extends CommonOptions {
  readonly topK?: number;
  readonly explain?: boolean;
}

/** `toolgate browse "query"|/path`: the cards that an agent would see. */
export function browse(terminal: Terminal, queryOrPath: string, options: BrowseOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ gateway }) => {
    const request = queryOrPath.startsWith('/') ? { path: queryOrPath } : { query: queryOrPath };
    const answer = await gateway.api.browse(localCaller(gateway), {
      ...request,
      ...(options.topK !== undefined && { topK: options.topK }),
      ...(options.explain && { explain: true }),
    });
    const { cards, unavailable, groups, explanations } = answer;
    if (options.json)
      printJson(terminal, { cards, groups, unavailable, ...(explanations && { explanations }) });
    else print(terminal, explanations ? withExplanations(answer.text, cards, explanations) : answer.text);
    return cards.length > 0 ? EXIT.ok : EXIT.refused;
  });
}

/** Adds under the line of each card how its score is composed. */
function withExplanations(text: string, cards: BrowseAnswer['cards'], explanations: Explanations): string {
  return text
    .split('\n')
    .flatMap((line, index) => {
      const explanation = explanations[cards[index]?.id ?? ''];
      return explanation ? [line, `    ${formatScore(explanation)}`] : [line];
    })
    .join('\n');
}

function formatScore({ score, signals }: Explanations[string]): string {
  const terms = signals.map(({ signal, points, because }) => {
    const reasons = because.length > 0 ? ` (${because.join(', ')})` : '';
    return `${signal} ${points}${reasons}`;
  });
  return `${score} = ${terms.join(' + ')}`;
}
