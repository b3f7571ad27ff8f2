import { Fault } from '../contract/errors/fault.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { UsageError } from './failure.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, say, type Terminal } from './terminal.ts';

/** `toolgate view <handle> [selector]`: more of a result that was too long to show. */
export function view(
  terminal: Terminal,
  { handle, selector }: { readonly handle: string; readonly selector: string | undefined },
  options: CommonOptions,
): Promise<ExitCode> {
  const asked = selector === undefined ? undefined : parseSelector(selector);
  return withGateway(terminal, { ...options, only: [] }, async ({ gateway }) => {
    const viewed = await gateway.api.view(localCaller(gateway), { handle, selector: asked });
    if (options.json) printJson(terminal, viewed);
    else if (viewed.kind === 'binary') {
      throw new Fault('INVALID_INPUT', `This is ${viewed.mediaType}. Use --json for its base64 bytes.`, {
        variant: 'view',
      });
    } else {
      print(terminal, viewed.selection.text);
      const { totals, next } = viewed.selection;
      const inAll = Object.entries(totals).map(([what, count]) => `${count} ${what}`);
      say(terminal, `(${inAll.join(', ')} in all${next ? `; next: '${JSON.stringify(next)}'` : ''})`);
    }
    return EXIT.ok;
  });
}

function parseSelector(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The selector is not JSON. For example '{"lines":{"start":1,"end":40}}'`);
  }
}
