import { ConfigError } from '../app/config/config-error.ts';
import { type Config, loadConfig, redactionRulesOf } from '../app/config/load.ts';
import { type Gateway, openGateway } from '../app/gateway.ts';
import { type Logger, makeLogger } from '../app/logger.ts';
import { isJsonObject } from '../base/json/json.ts';
import { type Caller, createCaller } from '../contract/call/caller.ts';
import { printStderr, type Terminal, upstreamLine } from './terminal.ts';

/** Options of every command. */
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
      'no toolgate.yaml was found in the current folder or in your config folder',
      'create one from the MCP clients on this machine: toolgate import',
      'or name a config file of Toolgate or of an MCP client: --config FILE',
    ]);
  }
  return config;
}

export interface OpenOptions {
  readonly only?: readonly string[];
  /** A command with one answer reports failures itself, so it logs only when the config sets a log level. */
  readonly logs: 'always' | 'if_configured';
}

/** Opens a gateway for the duration of one command. */
export async function openSession(
  terminal: Terminal,
  options: CommonOptions,
  { only, logs }: OpenOptions,
): Promise<Session> {
  const config = readConfig(options);
  const log = makeLogger(
    logs === 'always' || setsLogLevel(config) ? config.settings.log.level : 'silent',
    redactionRulesOf(config),
  );
  const showsProgress = !options.quiet && terminal.stderr.isTTY;
  const gateway = await openGateway({
    config,
    log,
    ...(only && { only }),
    ...(showsProgress && { onUpstreamState: (status) => printStderr(terminal, upstreamLine(status)) }),
  });
  return { config, gateway, log };
}

function setsLogLevel({ rawSettings: { log } }: Config): boolean {
  return isJsonObject(log) && log.level !== undefined;
}

/** The caller of a command: the user who runs it. */
export function localCaller({ localUser }: Gateway): Caller {
  return createCaller(localUser, { surface: 'cli' });
}

export interface StartOptions extends CommonOptions, Pick<OpenOptions, 'only'> {
  /** Waits for the upstreams that the work needs; for all of them where absent. */
  readonly waitForStart?: (gateway: Gateway, started: Promise<void>) => Promise<void>;
}

/** Runs the work of a command on a started gateway, and always closes the gateway. */
export async function withGateway<Result>(
  terminal: Terminal,
  options: StartOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { only, waitForStart } = options;
  const session = await openSession(terminal, options, { logs: 'if_configured', ...(only && { only }) });
  try {
    const started = session.gateway.start();
    await (waitForStart?.(session.gateway, started) ?? started);
    return await work(session);
  } finally {
    await session.gateway.close();
  }
}

/** Like `withGateway`, without starting any upstream: for commands that only use the stores. */
export async function withStores<Result>(
  terminal: Terminal,
  options: CommonOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(terminal, options, { only: [], logs: 'if_configured' });
  try {
    return await work(session);
  } finally {
    await session.gateway.close();
  }
}
