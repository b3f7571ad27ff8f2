import type { Gateway } from '../app/gateway.ts';
import { waitAtMost } from '../base/async/timeout.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, printStderr, type Terminal } from './terminal.ts';

type BrowseAnswer = Awaited<ReturnType<Gateway['api']['browse']>>;
type Explanations = NonNullable<BrowseAnswer['explanations']>;

export interface BrowseOptions extends CommonOptions {
  readonly topK?: number;
  readonly explain?: boolean;
  /** Milliseconds. */
  readonly wait?: number;
}

/** `toolgate browse "query"|/path`: the cards that an agent would see. */
export function browse(terminal: Terminal, queryOrPath: string, options: BrowseOptions): Promise<ExitCode> {
  const { wait } = options;
  const waitForStart = (gateway: Gateway, started: Promise<void>): Promise<void> =>
    wait === undefined ? gateway.waitWhileStarting() : waitAtMost(started, { ms: wait });
  return withGateway(terminal, { ...options, waitForStart }, async ({ gateway }) => {
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
    if (!options.json && !options.quiet) reportStarting(terminal, unavailable);
    return cards.length > 0 ? EXIT.ok : EXIT.refused;
  });
}

/** Each command starts the upstreams anew, so only a longer wait shows the tools of a slow one. */
function reportStarting(terminal: Terminal, unavailable: BrowseAnswer['unavailable']): void {
  const starting = unavailable.filter(({ state }) => state.kind === 'starting');
  if (starting.length === 0) return;
  const names = starting.map(({ namespace }) => namespace).join(', ');
  printStderr(terminal, `Still starting: ${names}. Wait longer with --wait, for example --wait 30000.`);
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
