import { text as readAll } from 'node:stream/consumers';
import type { Outcome, ResultView } from '../contract/call/outcome.ts';
import { isToolId, parseToolId } from '../contract/tool/tool-id.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { UsageError } from './failure.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, say, type Terminal, upstreamLine } from './terminal.ts';

export interface CallOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly key?: string;
  readonly timeout?: number;
}

/** `toolgate call <tool> '{json}'`: one call through all six phases. */
export async function call(
  terminal: Terminal,
  { tool, args }: { readonly tool: string; readonly args: string | undefined },
  options: CallOptions,
): Promise<ExitCode> {
  const text = args === '-' ? await readAll(terminal.stdin) : args;
  const parsed = text === undefined ? undefined : parseArgs(text);
  const namespace = namespaceOf(tool);
  const only = namespace === undefined ? {} : { only: [namespace] };
  return withGateway(terminal, { ...options, ...only }, async ({ gateway }) => {
    const caller = localCaller(gateway);
    const request = {
      caller,
      tool,
      args: parsed ?? (options.dryRun ? undefined : {}),
      dryRun: options.dryRun ?? false,
      ...(options.key !== undefined && { idempotencyKey: options.key }),
      ...(options.timeout !== undefined && { deadline: Date.now() + options.timeout }),
    };
    const outcome = await gateway.api.invoke(request, {
      signal: interruption(),
      onProgress: ({ progress, total, message }) => {
        if (terminal.stderr.isTTY) say(terminal, `  ${progress}${total ? `/${total}` : ''} ${message ?? ''}`);
      },
    });
    if (options.json) printJson(terminal, outcome);
    else show(terminal, outcome);
    if (outcome.status === 'failed' && outcome.error.code === 'TOOL_NOT_FOUND') {
      // A tool may be missing because its server is.
      for (const status of gateway.api.upstreams(caller).filter(({ state }) => state.kind !== 'ready'))
        say(terminal, upstreamLine(status));
    }
    return outcome.status === 'ok' || outcome.status === 'dry_run' ? EXIT.ok : EXIT.refused;
  });
}

/** The first signal cancels the call, so that it ends with a receipt; a second one ends the process. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  return interrupted.signal;
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The arguments are not JSON. Quote them for the shell: '{"message":"hi"}'`);
  }
}

/** Only the upstream that holds the tool needs to be started. */
function namespaceOf(tool: string): string | undefined {
  if (isToolId(tool)) return parseToolId(tool).namespace;
  return /^\/([^/]+)\/./.exec(tool)?.[1];
}

function show(terminal: Terminal, outcome: Outcome): void {
  if (outcome.status === 'ok') print(terminal, viewText(outcome.view));
  else if (outcome.status === 'dry_run') printJson(terminal, outcome.report);
  else if (outcome.status === 'pending') say(terminal, `Waiting for approval: ${outcome.ticket.message}`);
  else {
    const { view, error } = outcome;
    if (view) print(terminal, viewText(view));
    say(terminal, `${error.code}: ${error.message}`);
    if (error.details) say(terminal, JSON.stringify(error.details, null, 2));
  }
}

function viewText(view: ResultView): string {
  const parts = view.content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource')
      return part.resource.text ?? `[${part.resource.mimeType ?? 'binary'} ${part.resource.uri}]`;
    return part.type === 'resource_link' ? part.uri : `[${part.mimeType}]`;
  });
  if (view.kind === 'whole') return parts.join('\n');
  const handles = view.artifacts.map(
    ({ handle, mediaType, bytes }) => `  toolgate view ${handle}   (${mediaType}, ${bytes} bytes)`,
  );
  return [view.summary, ...parts, 'Kept whole:', ...handles].join('\n');
}
