import { text as readAll } from 'node:stream/consumers';
import type { Outcome, ResultView } from '../contract/call/outcome.ts';
import { describeError } from '../contract/errors/catalogue.ts';
import { isToolId, parseToolId } from '../contract/tool/tool-id.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { UsageError } from './failure.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, printStderr, type Terminal, upstreamLine } from './terminal.ts';

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
      signal: abortOnInterrupt(),
      onProgress: ({ progress, total, message }) => {
        if (terminal.stderr.isTTY)
          printStderr(terminal, `  ${progress}${total ? `/${total}` : ''} ${message ?? ''}`);
      },
    });
    if (options.json) printJson(terminal, outcome);
    else printOutcome(terminal, outcome);
    if (outcome.status === 'failed' && outcome.error.code === 'TOOL_NOT_FOUND') {
      // A tool may be missing because its upstream is not ready.
      for (const status of gateway.api.upstreams(caller).filter(({ state }) => state.kind !== 'ready'))
        printStderr(terminal, upstreamLine(status));
    }
    return outcome.status === 'ok' || outcome.status === 'dry_run' ? EXIT.ok : EXIT.refused;
  });
}

/** The first signal cancels the call, which then still writes its receipt. A second signal ends the process. */
function abortOnInterrupt(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  return interrupted.signal;
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(
      `The arguments are not valid JSON. Quote them for the shell, for example: '{"message":"hi"}'`,
    );
  }
}

/** Only the upstream of the called tool is started. */
function namespaceOf(tool: string): string | undefined {
  if (isToolId(tool)) return parseToolId(tool).namespace;
  return /^\/([^/]+)\/./.exec(tool)?.[1];
}

function printOutcome(terminal: Terminal, outcome: Outcome): void {
  if (outcome.status === 'ok') print(terminal, viewText(outcome.view));
  else if (outcome.status === 'dry_run') printJson(terminal, outcome.report);
  else if (outcome.status === 'pending')
    printStderr(terminal, `Approval required: ${outcome.ticket.message}`);
  else {
    const { view, error } = outcome;
    if (view) print(terminal, viewText(view));
    printStderr(terminal, `${error.code}: ${error.message}`);
    if (error.details) printStderr(terminal, JSON.stringify(error.details, null, 2));
    printStderr(terminal, describeError(error.code, error.variant).next);
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
  return [view.summary, ...parts, 'Read more with:', ...handles].join('\n');
}
