import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, withGateway } from './session.ts';
import { print, printJson, type Terminal, upstreamLine } from './terminal.ts';

/** `toolgate doctor`: starts every upstream and reports its state. */
export function doctor(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ config, gateway }) => {
    const upstreams = gateway.upstreams();
    const { contracts, reports } = gateway.snapshot();
    const findings = reports.flatMap((report) => report.findings);
    const store = config.settings.store.postgres === undefined ? `sqlite ${config.sqliteFile}` : 'postgres';
    const ready = upstreams.filter(({ state }) => state.kind === 'ready').length;
    const healthy = ready === upstreams.length;
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
        `tools   ${contracts.length} (${findings.length} findings${findings.length ? '; see toolgate catalog report' : ''})`,
      );
      for (const status of upstreams) print(terminal, upstreamLine(status));
      print(terminal, `${ready} of ${upstreams.length} upstreams ready.`);
      if (!healthy)
        print(terminal, 'Correct the upstreams marked above. The others are served without them.');
    }
    return healthy ? EXIT.ok : EXIT.unhealthy;
  });
}
