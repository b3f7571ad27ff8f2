/** The results as a person reads them. */
import type { Cell, Ratio, Results } from './results.ts';

export function report(results: Results): string {
  const { machine, calls, rounds, cells, failures } = results;
  const loads = [...new Set(cells.map(({ inFlight }) => inFlight))];
  return [
    `${machine.cores} cores, Node ${machine.node}, ${machine.platform}, load before ${fixed(machine.loadBefore, 1)}`,
    `${calls} calls a measurement, the median of ${rounds} rounds; ratios are of one round each, and their median`,
    ...loads.map((load) => loadTable(load, cells)),
    serverTable(results),
    ...failures.map(({ name, reason }) => `${name} did not start: ${reason}`),
    ...cells.filter(({ wrong }) => wrong > 0).map(wrongLine),
    ...besideBefore(cells),
    ...acceptanceLine(results),
  ].join('\n\n');
}

function loadTable(load: number, cells: readonly Cell[]): string {
  const rows = cells
    .filter(({ inFlight }) => inFlight === load)
    .map(({ name, callsPerSecond, p50Ms, p99Ms, cpuMsPerCall, toMcpProxy, toUpstream }) => [
      name,
      fixed(callsPerSecond, 0),
      fixed(p50Ms, 2),
      fixed(p99Ms, 2),
      fixed(cpuMsPerCall, 2),
      ...ratioColumns(toMcpProxy),
      ...ratioColumns(toUpstream),
    ]);
  const head = ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU ms/call'];
  const ratios = ['× mcp-proxy', 'p50', 'p99', '× upstream', 'p50', 'p99'];
  return `${load} in flight\n${table([[...head, ...ratios], ...rows])}`;
}

function ratioColumns(ratio: Ratio | undefined): string[] {
  return [fixed(ratio?.callsPerSecond, 2), fixed(ratio?.p50, 2), fixed(ratio?.p99, 2)];
}

function serverTable({ servers }: Results): string {
  const rows = servers.map(({ name, firstAnswerMs, residentMb, childrenMb }) => [
    name,
    fixed(firstAnswerMs, 0),
    fixed(residentMb, 0),
    fixed(childrenMb, 0),
  ]);
  return `Processes\n${table([['', 'first answer ms', 'RSS MB', 'children MB'], ...rows])}`;
}

function wrongLine({ name, inFlight, wrong, firstWrong }: Cell): string {
  return `${name} at ${inFlight} in flight: ${wrong} wrong answers, the first: ${firstWrong}`;
}

/** Ours alone, in the era that the earlier build was asked in. */
function besideBefore(cells: readonly Cell[]): string[] {
  const lines = cells.flatMap(({ name, inFlight, toBefore }) => {
    if (!toBefore || !/^toolgate(?!.*2026)/.test(name)) return [];
    const { p50, callsPerSecond } = toBefore;
    return `${name} at ${inFlight} in flight: ${fixed(p50, 2)}× the p50 of the earlier build, ${fixed(callsPerSecond, 2)}× its calls/s`;
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function acceptanceLine({ acceptance }: Results): string[] {
  if (!acceptance) return [];
  const { inFlight, callsPerSecond, p99, holds } = acceptance;
  const numbers = `${fixed(callsPerSecond, 2)}× the calls/s of mcp-proxy, ${fixed(p99, 2)}× its p99`;
  return [`At ${inFlight} in flight Toolgate has ${numbers}: the line ${holds ? 'holds' : 'DOES NOT HOLD'}.`];
}

/** The first column to the left, numbers to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ');
  return rows.map((row) => `  ${line(row)}`).join('\n');
}

function fixed(value: number | undefined, digits: number): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);
}
