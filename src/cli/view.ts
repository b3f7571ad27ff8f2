import { Fault } from '../contract/errors/fault.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { UsageError } from './failure.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, printStderr, type Terminal } from './terminal.ts';

/** `toolgate view <handle> [selector]`: reads a part of a stored artifact. */
export function view(
  terminal: Terminal,
  { handle, selector }: { readonly handle: string; readonly selector: string | undefined },
  options: CommonOptions,
): Promise<ExitCode> {
  const parsed = selector === undefined ? undefined : parseSelector(selector);
  return withGateway(terminal, { ...options, only: [] }, async ({ gateway }) => {
    const viewed = await gateway.api.view(localCaller(gateway), { handle, selector: parsed });
    if (options.json) printJson(terminal, viewed);
    else if (viewed.kind === 'binary') {
      throw new Fault(
        'INVALID_INPUT',
        `The artifact is binary (${viewed.mediaType}). Use --json to get its bytes in base64.`,
        {
          variant: 'view',
        },
      );
    } else {
      print(terminal, viewed.selection.text);
      const { totals, next } = viewed.selection;
      const counts = Object.entries(totals).map(([unit, count]) => `${count} ${unit}`);
      printStderr(
        terminal,
        `(${counts.join(', ')} in total${next ? `; next: '${JSON.stringify(next)}'` : ''})`,
      );
    }
    return EXIT.ok;
  });
}

function parseSelector(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The selector is not valid JSON. A valid example: '{"lines":{"start":1,"end":40}}'`);
  }
}
