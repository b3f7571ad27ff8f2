import type { Config } from '../app/config/load.ts';
import type { Gateway } from '../app/gateway.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, withGateway } from './session.ts';
import { print, printJson, type Terminal, upstreamLine } from './terminal.ts';

/** `toolgate doctor`: starts every upstream and reports its state, and what in the config has no effect. */
export function doctor(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ config, gateway }) => {
    const health = healthOf(config, gateway);
    if (options.json) {
      const { tools: _, ready: __, ...printed } = health;
      printJson(terminal, { node: process.version, config: config.file, ...printed });
    } else for (const line of healthLines(config, health)) print(terminal, line);
    return health.healthy ? EXIT.ok : EXIT.unhealthy;
  });
}

interface Health {
  readonly healthy: boolean;
  readonly store: string;
  readonly upstreams: ReturnType<Gateway['upstreams']>;
  readonly ready: number;
  /** Upstreams that the config disables. */
  readonly disabled: readonly string[];
  readonly tools: number;
  readonly findings: ReturnType<Gateway['snapshot']>['reports'][number]['findings'];
  readonly configFindings: readonly string[];
}

function healthOf({ settings, sqliteFile, upstreams: configured }: Config, gateway: Gateway): Health {
  const upstreams = gateway.upstreams();
  const { contracts, reports } = gateway.snapshot();
  const ready = upstreams.filter(({ state }) => state.kind === 'ready').length;
  return {
    healthy: ready === upstreams.length,
    store: settings.store.postgres === undefined ? `sqlite ${sqliteFile}` : 'postgres',
    upstreams,
    ready,
    disabled: configured.filter((entry) => !entry.settings.enabled).map(({ namespace }) => namespace),
    tools: contracts.length,
    findings: reports.flatMap((report) => report.findings),
    configFindings: gateway.configFindings(),
  };
}

function healthLines({ file }: Config, health: Health): string[] {
  const { healthy, store, upstreams, ready, disabled, tools, findings, configFindings } = health;
  const leftOut = findings.filter(({ kind }) => kind === 'left_out').length;
  const counts = [
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    `${findings.length - leftOut} findings`,
  ].join(', ');
  return [
    `node    ${process.version}`,
    `config  ${file}`,
    `store   ${store}`,
    `tools   ${tools} (${counts}${findings.length > 0 ? '; see toolgate catalog report' : ''})`,
    ...upstreams.map(upstreamLine),
    ...disabled.map((namespace) => `  – ${namespace}  disabled`),
    ...(configFindings.length > 0 ? ['Keys of the config that have no effect:'] : []),
    ...configFindings.map((finding) => `  ! ${finding}`),
    upstreams.length > 0 ? `${ready} of ${upstreams.length} upstreams ready.` : noUpstreams(disabled),
    ...(healthy ? [] : ['Correct the upstreams marked above. The others are served without them.']),
  ];
}

function noUpstreams(disabled: readonly string[]): string {
  return disabled.length > 0
    ? 'Every upstream is disabled. Set "enabled: true" for one of them.'
    : 'The config has no upstreams. Add one under "upstreams", or run: toolgate import';
}
