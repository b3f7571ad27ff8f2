import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, withGateway } from './session.ts';
import { print, printJson, type Terminal, upstreamLine } from './terminal.ts';

/** `toolgate doctor`: starts everything, says what works, what does not and what to do about it. */
export function doctor(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ config, gateway }) => {
    const upstreams = gateway.upstreams();
    const { contracts, reports } = gateway.snapshot();
    const findings = reports.flatMap((report) => report.findings);
    const store = config.settings.store.postgres === undefined ? `sqlite ${config.sqliteFile}` : 'postgres';
    const healthy = upstreams.every(({ state }) => state.kind === 'ready');
    if (options.json) {
      printJson(terminal, {
        healthy,
        node: process.version,
        config: config.file,
        store,
        upstreams,
        findings,
      });
    } else {
      print(terminal, `node    ${process.version}`);
      print(terminal, `config  ${config.file}`);
      print(terminal, `store   ${store}`);
      print(
        terminal,
        `tools   ${contracts.length} (${findings.length} findings${findings.length ? ': toolgate catalog report' : ''})`,
      );
      for (const status of upstreams) print(terminal, upstreamLine(status));
      print(
        terminal,
        healthy
          ? 'All upstreams work.'
          : 'Some upstreams do not work. The reasons are above; the others are served.',
      );
    }
    return healthy ? EXIT.ok : EXIT.unhealthy;
  });
}
