import { ConfigError } from '../app/config/config-error.ts';
import { type Config, collectSecrets, loadConfig } from '../app/config/load.ts';
import { type Gateway, openGateway } from '../app/gateway.ts';
import { type Logger, makeLogger } from '../app/logger.ts';
import { isJsonObject } from '../base/json/json.ts';
import { type Caller, createCaller } from '../contract/call/caller.ts';
import { say, type Terminal, upstreamLine } from './terminal.ts';

/** Options that every command takes. */
export interface CommonOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export interface Session {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly log: Logger;
}

export function readConfig(options: CommonOptions): Config {
  const config = loadConfig({ file: options.config });
  if (config.file === undefined) {
    throw new ConfigError(undefined, [
      'there is no toolgate.yaml here, and none in your config folder',
      'make one from the MCP clients on this machine: toolgate import',
      "or name one, your client's own file included: --config FILE",
    ]);
  }
  return config;
}

export interface OpenOptions {
  readonly only?: readonly string[];
  /** A command that answers once says itself what went wrong, so it logs only when the config asks for a log. */
  readonly logs: 'always' | 'when_asked';
}

/** A gateway for as long as one command takes. */
export async function openSession(
  terminal: Terminal,
  options: CommonOptions,
  { only, logs }: OpenOptions,
): Promise<Session> {
  const config = readConfig(options);
  const log = makeLogger(
    logs === 'always' || asksForLog(config) ? config.settings.log.level : 'silent',
    collectSecrets(config),
  );
  const showsProgress = !options.quiet && terminal.stderr.isTTY;
  const gateway = await openGateway({
    config,
    log,
    ...(only && { only }),
    ...(showsProgress && { onUpstreamState: (status) => say(terminal, upstreamLine(status)) }),
  });
  return { config, gateway, log };
}

function asksForLog({ written }: Config): boolean {
  return isJsonObject(written.log) && written.log.level !== undefined;
}

/** The caller of a command: the user who runs it. */
export function localCaller({ localUser }: Gateway): Caller {
  return createCaller(localUser, { surface: 'cli' });
}

/** Runs a command's work on a started gateway and closes it whatever happens. */
export async function withGateway<Result>(
  terminal: Terminal,
  options: CommonOptions & Pick<OpenOptions, 'only'>,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { only } = options;
  const session = await openSession(terminal, options, { logs: 'when_asked', ...(only && { only }) });
  try {
    await session.gateway.start();
    return await work(session);
  } finally {
    await session.gateway.close();
  }
}

/** The same without starting any upstream: what is stored can be read as it is. */
export async function withStores<Result>(
  terminal: Terminal,
  options: CommonOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(terminal, options, { only: [], logs: 'when_asked' });
  try {
    return await work(session);
  } finally {
    await session.gateway.close();
  }
}
