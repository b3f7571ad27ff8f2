import { operatorId } from '../app/operations/operator.ts';
import { clearUsageExamples, listUsageExamples } from '../app/operations/usage-examples.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, withStores } from './session.ts';
import { print, printJson, type Terminal } from './terminal.ts';

export interface ExamplesOptions extends CommonOptions {
  readonly owner?: string;
}

/** `toolgate examples list`: what rankings have learned, and from whom. */
export function examplesList(terminal: Terminal, options: ExamplesOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const snapshots = await listUsageExamples(gateway.usage, options.owner);
    if (options.json) printJson(terminal, snapshots);
    else if (snapshots.length === 0)
      print(terminal, 'Nothing was learned. discovery.learnFrom switches it on.');
    for (const { owner, digest, pairs } of options.json ? [] : snapshots) {
      print(terminal, `${owner}  ${pairs.length} pairs, snapshot ${digest}`);
      for (const { tool, request, times } of pairs)
        print(terminal, `  ${tool}  ${JSON.stringify(request)}${times > 1 ? `  ${times} times` : ''}`);
    }
    return EXIT.ok;
  });
}

/** `toolgate examples clear`: forgets what was learned, of one owner or of all. */
export function examplesClear(terminal: Terminal, options: ExamplesOptions): Promise<ExitCode> {
  return withStores(terminal, options, async ({ gateway }) => {
    const cleared = await clearUsageExamples(gateway, {
      owner: options.owner,
      principalId: operatorId(),
    });
    if (options.json) printJson(terminal, { cleared });
    else print(terminal, `${cleared} pairs forgotten. A gateway that runs follows when it next looks.`);
    return EXIT.ok;
  });
}
