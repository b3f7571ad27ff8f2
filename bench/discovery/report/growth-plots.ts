import type { GrowthPoint } from '../growth.ts';
import { type Axis, type Series, svgOf } from './plot.ts';

const COLORS: Readonly<Record<string, string>> = { bm25f: '#d9822b', toolgate: '#3d8bfd' };
const LATENCY_TICKS = [0.001, 0.01, 0.1, 1, 10, 100, 1_000];

export function recallPlot(points: readonly GrowthPoint[]): string {
  return svgOf({
    title: 'Recall@5 by the size of the catalog',
    x: sizesOf(points),
    y: { label: 'recall@5', log: false, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1] },
    series: seriesOf(points, ({ recall5 }) => recall5),
  });
}

export function latencyPlot(points: readonly GrowthPoint[]): string {
  const times = points.flatMap(({ p50Ms, p95Ms }) => [p50Ms, p95Ms]);
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const ticks = LATENCY_TICKS.filter((tick) => tick * 10 > least && tick / 10 < most);
  return svgOf({
    title: 'Time of a query by the size of the catalog',
    x: sizesOf(points),
    y: { label: 'milliseconds', log: true, ticks },
    series: [
      ...seriesOf(points, ({ p50Ms }) => p50Ms).map((series) => ({ ...series, name: `${series.name} p50` })),
      ...seriesOf(points, ({ p95Ms }) => p95Ms).map((series) => ({
        ...series,
        name: `${series.name} p95`,
        dashed: true,
      })),
    ],
  });
}

function sizesOf(points: readonly GrowthPoint[]): Axis {
  const powers = points.map(({ tools }) => tools).filter((size) => Number.isInteger(Math.log10(size)));
  return { label: 'tools in the catalog', log: true, ticks: [...new Set(powers)] };
}

function seriesOf(points: readonly GrowthPoint[], value: (point: GrowthPoint) => number): Series[] {
  return [...Map.groupBy(points, ({ contestant }) => contestant)].map(([name, ofOne]) => ({
    name,
    color: COLORS[name] ?? '#768390',
    points: ofOne.map((point) => ({ x: point.tools, y: value(point) })),
  }));
}
