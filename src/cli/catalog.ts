import { plainValue } from '../base/json/plain-value.ts';
import { Fault } from '../contract/errors/fault.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonOptions, localCaller, withGateway } from './session.ts';
import { print, printJson, type Terminal, upstreamLine } from './terminal.ts';

export interface CatalogOptions extends CommonOptions {
  /** Include tools that the local user may not see. */
  readonly all?: boolean;
}

/** `toolgate catalog list`: every tool that the local user may see, on one line each. */
export function catalogList(terminal: Terminal, options: CatalogOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ gateway }) => {
    const caller = localCaller(gateway);
    const contracts = gateway
      .snapshot()
      .contracts.filter((contract) => options.all || gateway.maySee(caller, contract));
    const upstreams = options.all ? gateway.upstreams() : gateway.api.upstreams(caller);
    const rows = contracts.map(({ id, mutation, timeoutClass, description }) => ({
      id,
      mutation,
      timeoutClass,
      description,
    }));
    if (options.json) printJson(terminal, { tools: rows, upstreams });
    else {
      for (const { id, mutation } of rows) print(terminal, `${id}  ${mutation}`);
      print(terminal, `${rows.length} ${rows.length === 1 ? 'tool' : 'tools'}`);
      for (const status of upstreams.filter(({ state }) => state.kind !== 'ready'))
        print(terminal, upstreamLine(status));
    }
    return EXIT.ok;
  });
}

export interface ShowOptions extends CatalogOptions {
  /** A JSON Pointer into the input schema. */
  readonly at?: string;
}

/** `toolgate catalog show <tool>`: the contract with the terms that a profile filled, or a part of the input schema. */
export function catalogShow(terminal: Terminal, tool: string, options: ShowOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ gateway }) => {
    const contract = gateway.snapshot().resolve('tool', tool);
    const isVisible = contract && (options.all || gateway.maySee(localCaller(gateway), contract));
    if (!isVisible)
      throw new Fault(
        'TOOL_NOT_FOUND',
        `The catalog has no tool ${tool}. List the tools with "toolgate catalog list".`,
      );
    const shown = options.at === undefined ? plainValue(contract) : gateway.schemaPart(contract, options.at);
    printJson(terminal, shown);
    return EXIT.ok;
  });
}

/** `toolgate catalog report`: the tools that were repaired, refused, flagged or left out at admission, with the reasons. */
export function catalogReport(terminal: Terminal, options: CommonOptions): Promise<ExitCode> {
  return withGateway(terminal, options, async ({ gateway }) => {
    const { reports } = gateway.snapshot();
    const upstreams = gateway.upstreams();
    if (options.json) printJson(terminal, { reports, upstreams });
    else {
      for (const { namespace, offered, registered, findings } of reports) {
        print(terminal, `${namespace}: ${registered} of ${offered} tools registered`);
        for (const { kind, upstreamName, reason } of findings)
          print(terminal, `  ${kind.replace('_', ' ')}  ${upstreamName}: ${reason}`);
      }
      for (const status of upstreams.filter(({ state }) => state.kind !== 'ready'))
        print(terminal, upstreamLine(status));
    }
    const refused = reports.some(({ findings }) => findings.some(({ kind }) => kind === 'refused'));
    return refused || upstreams.some(({ state }) => state.kind !== 'ready') ? EXIT.unhealthy : EXIT.ok;
  });
}
