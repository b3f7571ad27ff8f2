/** The results as text tables. */
import type { Cell, Ratio, Results } from './results.ts';

export function formatReport(results: Results): string {
  const { machine, calls, rounds, cells, failures } = results;
  const loads = [...new Set(cells.map(({ inFlight }) => inFlight))];
  return [
    `${machine.cores} cores, Node ${machine.node}, ${machine.platform}, load before ${formatNumber(machine.loadBefore, 1)}`,
    `${calls} calls per measurement, median of ${rounds} rounds; a ratio is the median of the ratios within each round`,
    ...loads.map((load) => formatLoad(load, cells)),
    formatServers(results),
    ...failures.map(({ name, reason }) => `${name} did not start: ${reason}`),
    ...cells.filter(({ wrong }) => wrong > 0).map(formatWrongAnswers),
    ...compareWithPeers(cells),
    ...compareWithEarlierBuild(cells),
    ...formatAcceptance(results),
  ].join('\n\n');
}

function formatLoad(load: number, cells: readonly Cell[]): string {
  const rows = cells
    .filter(({ inFlight }) => inFlight === load)
    .map(({ name, callsPerSecond, p50Ms, p99Ms, cpuMsPerCall, toMcpProxy, toUpstream }) => [
      name,
      formatNumber(callsPerSecond, 0),
      formatNumber(p50Ms, 2),
      formatNumber(p99Ms, 2),
      formatNumber(cpuMsPerCall, 2),
      ...formatRatio(toMcpProxy),
      ...formatRatio(toUpstream),
    ]);
  const head = ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU ms/call'];
  const ratios = ['× mcp-proxy', 'p50', 'p99', '× upstream', 'p50', 'p99'];
  return `${load} in flight\n${formatTable([[...head, ...ratios], ...rows])}`;
}

function formatRatio(ratio: Ratio | undefined): string[] {
  return [formatNumber(ratio?.callsPerSecond, 2), formatNumber(ratio?.p50, 2), formatNumber(ratio?.p99, 2)];
}

function formatServers({ servers }: Results): string {
  const rows = servers.map(({ name, firstAnswerMs, residentMb, childrenMb }) => [
    name,
    formatNumber(firstAnswerMs, 0),
    formatNumber(residentMb, 0),
    formatNumber(childrenMb, 0),
  ]);
  return `Processes\n${formatTable([['', 'first answer ms', 'RSS MB', 'children MB'], ...rows])}`;
}

function formatWrongAnswers({ name, inFlight, wrong, firstWrong }: Cell): string {
  return `${name} at ${inFlight} in flight: ${wrong} wrong answers; the first: ${firstWrong}`;
}

function compareWithPeers(cells: readonly Cell[]): string[] {
  const lines = cells.flatMap(({ name, inFlight, toPeer }) => {
    if (!toPeer) return [];
    const { peer, callsPerSecond, p50, addedP50Ms } = toPeer;
    const added = `${addedP50Ms < 0 ? '−' : '+'}${formatNumber(Math.abs(addedP50Ms), 2)} ms`;
    return `${name} at ${inFlight} in flight: ${formatNumber(callsPerSecond, 2)}× the calls/s of ${peer}, ${formatNumber(p50, 2)}× its p50 (${added})`;
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

/** Each target of Toolgate beside the same target of the earlier build. */
function compareWithEarlierBuild(cells: readonly Cell[]): string[] {
  const lines = cells.flatMap(({ name, inFlight, toBefore }) => {
    if (!toBefore || !name.startsWith('toolgate')) return [];
    const { p50, callsPerSecond } = toBefore;
    return `${name} at ${inFlight} in flight: ${formatNumber(p50, 2)}× the p50 of the earlier build, ${formatNumber(callsPerSecond, 2)}× its calls/s`;
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function formatAcceptance({ acceptance }: Results): string[] {
  if (!acceptance) return [];
  const { inFlight, callsPerSecond, p99, holds } = acceptance;
  const numbers = `${formatNumber(callsPerSecond, 2)}× the calls/s of mcp-proxy, ${formatNumber(p99, 2)}× its p99`;
  return [
    `At ${inFlight} in flight Toolgate has ${numbers}: acceptance criterion ${holds ? 'met' : 'NOT MET'}.`,
  ];
}

/** The first column is left-aligned, numbers are right-aligned. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const formatRow = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ');
  return rows.map((row) => `  ${formatRow(row)}`).join('\n');
}

function formatNumber(value: number | undefined, digits: number): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);
}
