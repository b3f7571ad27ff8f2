import { describe, expect, it } from 'vitest';
import { latencyPlot, recallPlot } from './growth-plots.ts';
import { svgOf } from './plot.ts';

const axis = { label: 'a & b', log: true, ticks: [1, 10, 100] };
const series = { name: 'x < y', color: '#123456', points: [{ x: 10, y: 10 }] };
const points = ['bm25f', 'toolgate'].flatMap((contestant) =>
  [10, 30, 100].map((tools) => ({ contestant, tools, queries: 5, recall5: 0.5, p50Ms: 0.02, p95Ms: 30 })),
);

describe('svgOf', () => {
  it('places values on a logarithmic axis', () => {
    const svg = svgOf({ title: 't', x: axis, y: axis, series: [series] });
    expect(svg).toContain('<circle cx="374" cy="210" r="3" fill="#123456"/>');
  });

  it('escapes labels', () => {
    const svg = svgOf({ title: '"t"', x: axis, y: axis, series: [series] });
    expect(svg).toContain('aria-label="&quot;t&quot;"');
    expect(svg).toContain('a &amp; b');
    expect(svg).toContain('x &lt; y');
  });

  it('has a legend entry for each contestant, and for each of its two latencies', () => {
    expect(recallPlot(points).match(/<text[^>]*>(bm25f|toolgate)<\/text>/g)).toHaveLength(2);
    expect(latencyPlot(points).match(/<text[^>]*>(bm25f|toolgate) p(50|95)<\/text>/g)).toHaveLength(4);
  });

  it('keeps all points inside the axes', () => {
    const heights = [...latencyPlot(points).matchAll(/cy="([\d.]+)"/g)].map((match) => Number(match[1]));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(76);
    expect(Math.max(...heights)).toBeLessThanOrEqual(344);
  });
});
