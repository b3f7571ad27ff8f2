export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Series {
  readonly name: string;
  readonly color: string;
  readonly dashed?: boolean;
  readonly points: readonly Point[];
}

export interface Axis {
  readonly label: string;
  readonly log: boolean;
  readonly ticks: readonly number[];
}

export interface Plot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 64;
const RIGHT = 36;
const TOP = 76;
const BOTTOM = 56;
// Readable on white and on black, because the background is transparent.
const INK = '#768390';
const LEGEND_STEP = 160;

/** A line chart as SVG, without scripts or embedded fonts. */
export function svgOf(plot: Plot): string {
  const x = scaleOf(plot.x, LEFT, WIDTH - RIGHT);
  const y = scaleOf(plot.y, HEIGHT - BOTTOM, TOP);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(plot.title)}"`,
    `  font-family="system-ui, sans-serif" font-size="13" fill="${INK}">`,
    `<text x="${LEFT}" y="24" font-size="16" font-weight="600">${escapeXml(plot.title)}</text>`,
    ...plot.series.map(legendEntry),
    ...plot.x.ticks.map((tick) => verticalTick(x(tick), tick)),
    ...plot.y.ticks.map((tick) => horizontalTick(y(tick), tick)),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${escapeXml(plot.x.label)}</text>`,
    `<text transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escapeXml(plot.y.label)}</text>`,
    ...plot.series.map((series) => lineOf(series, x, y)),
    '</svg>',
    '',
  ].join('\n');
}

type Scale = (value: number) => number;

function scaleOf({ ticks, log }: Axis, from: number, to: number): Scale {
  const measure = (value: number): number => (log ? Math.log10(value) : value);
  const [low, high] = [measure(Math.min(...ticks)), measure(Math.max(...ticks))];
  return (value) => round(from + ((measure(value) - low) / (high - low)) * (to - from));
}

function legendEntry({ name, color, dashed }: Series, index: number): string {
  const left = LEFT + index * LEGEND_STEP;
  return `<path d="M${left} 48h28" stroke="${color}" stroke-width="2.5"${dashes(dashed)}/><text x="${left + 36}" y="52">${escapeXml(name)}</text>`;
}

function verticalTick(at: number, value: number): string {
  return `<path d="M${at} ${TOP}V${HEIGHT - BOTTOM}" stroke="${INK}" stroke-opacity=".25"/><text x="${at}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${value.toLocaleString('en')}</text>`;
}

function horizontalTick(at: number, value: number): string {
  return `<path d="M${LEFT} ${at}H${WIDTH - RIGHT}" stroke="${INK}" stroke-opacity=".25"/><text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${value}</text>`;
}

function lineOf({ points, color, dashed }: Series, x: Scale, y: Scale): string {
  const path = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${x(point.x)} ${y(point.y)}`).join('');
  const dots = points.map((point) => `<circle cx="${x(point.x)}" cy="${y(point.y)}" r="3" fill="${color}"/>`);
  return `<path d="${path}" fill="none" stroke="${color}" stroke-width="2.5"${dashes(dashed)}/>${dots.join('')}`;
}

function dashes(dashed: boolean | undefined): string {
  return dashed ? ' stroke-dasharray="5 4"' : '';
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
