import { operatorId } from '../app/operations/operator.ts';
import { clearUsageExamples, listUsageExamples } from '../app/operations/usage-examples.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, withStores } from './session.ts';
import { print, printJson, type Terminal } from './terminal.ts';

export interface ExamplesOptions extends CommonOptions {
  readonly owner?: string;
}

/** `toolgate examples list`: the learned usage examples of each owner. */
export function examplesList(terminal: Terminal, options: ExamplesOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const snapshots = await listUsageExamples(gateway.usage, options.owner);
    if (options.json) printJson(terminal, snapshots);
    else if (snapshots.length === 0)
      print(
        terminal,
        'No usage examples. Set discovery.learnFrom in the config to learn from successful calls.',
      );
    for (const { owner, digest, pairs } of options.json ? [] : snapshots) {
      print(terminal, `${owner}  ${count(pairs.length)}, snapshot ${digest}`);
      for (const { tool, request, times } of pairs)
        print(terminal, `  ${tool}  ${JSON.stringify(request)}${times > 1 ? `  ${times} times` : ''}`);
    }
    return EXIT.ok;
  });
}

/** `toolgate examples clear`: deletes the learned usage examples of one owner or of all. */
export function examplesClear(terminal: Terminal, options: ExamplesOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const cleared = await clearUsageExamples(gateway, {
      owner: options.owner,
      principalId: operatorId(),
    });
    if (options.json) printJson(terminal, { cleared });
    else
      print(
        terminal,
        `Deleted ${count(cleared)}. A running gateway applies this after discovery.learnEveryMinutes.`,
      );
    return EXIT.ok;
  });
}

function count(examples: number): string {
  return `${examples} usage ${examples === 1 ? 'example' : 'examples'}`;
}
