/** `npm run bench:discovery`: measures the quality and the speed of tool ranking, with baselines in the same run. */

import { encoderContestants, fusionContestants } from './baselines/encoder.ts';
import { measureRow, type Row } from './compare.ts';
import type { Contestant } from './contestant.ts';
import { ABLATIONS, CONTESTANTS } from './contestants.ts';
import { type Crossfit, crossfit } from './crossfit.ts';
import { halfOf, type QuerySet, readSet, readSets } from './data.ts';
import { measureExamples } from './examples.ts';
import { type GrowthPoint, growth, SIZES } from './growth.ts';
import { InputError } from './input-error.ts';
import { measureQuality, type QualityRow } from './measure.ts';
import { type Options, readOptions, type Task, USAGE } from './options.ts';
import { writePage, writePlot } from './report/docs-page.ts';
import { latencyPlot, recallPlot } from './report/growth-plots.ts';
import { comparisonText, crossfitText, examplesText, growthText, meansText } from './report/tables.ts';

try {
  const options = readOptions(process.argv.slice(2));
  if (options) main(options);
  else process.stdout.write(USAGE);
} catch (thrown) {
  if (!(thrown instanceof InputError)) throw thrown;
  process.stderr.write(`${thrown.message}\nRun with \`--help\` for the options.\n`);
  process.exitCode = 2;
}

function main(options: Options): void {
  const whole = readQuerySets(options);
  const { half } = options;
  const sets = half === undefined ? whole : whole.map((set) => halfOf(set, half));
  if (options.task === 'write') {
    writeDocs(sets, whole, options);
    return;
  }
  const { measured, text } = resultOf(options.task, sets, options);
  console.log(options.json ? JSON.stringify(measured, null, 2) : text);
}

interface Result {
  readonly measured: readonly QualityRow[] | readonly GrowthPoint[] | Crossfit;
  readonly text: string;
}

function resultOf(task: Exclude<Task, 'write'>, sets: readonly QuerySet[], options: Options): Result {
  if (task === 'growth') {
    const measured = measureGrowth(sets, options);
    return { measured, text: growthText(measured) };
  }
  if (task === 'compare') {
    const measured = compare(sets, options);
    return { measured, text: comparisonText(measured) };
  }
  if (task === 'crossfit') {
    const measured = crossfit(sets, progressOf(options));
    return { measured, text: crossfitText(measured) };
  }
  if (task === 'examples') {
    const measured = sets.flatMap(measureExamples);
    return { measured, text: examplesText(measured) };
  }
  const measured = task === 'ablation' ? ablate(sets, options) : fuse(sets, options);
  return { measured, text: meansText(measured) };
}

function writeDocs(sets: readonly QuerySet[], whole: readonly QuerySet[], options: Options): void {
  const rows = compare(sets, options);
  const parts = ablate(sets, options);
  const points = measureGrowth(sets, options);
  writePlot('discovery-recall', recallPlot(points));
  writePlot('discovery-latency', latencyPlot(points));
  writePage({
    comparison: comparisonText(rows),
    crossfit: crossfitText(crossfit(whole, progressOf(options))),
    parts: meansText(parts),
    examples: examplesText(whole.flatMap(measureExamples)),
    growth: growthText(points),
  });
}

function compare(sets: readonly QuerySet[], options: Options): Row[] {
  const progress = progressOf(options);
  return sets.flatMap((set) =>
    measureEach(contestantsFor(set, options), set, { measure: measureRow, progress }),
  );
}

function ablate(sets: readonly QuerySet[], options: Options): QualityRow[] {
  const progress = progressOf(options);
  return sets.flatMap((set) => measureEach(ABLATIONS, set, { measure: measureQuality, progress }));
}

function fuse(sets: readonly QuerySet[], options: Options): QualityRow[] {
  const progress = progressOf(options);
  return sets.flatMap((set) =>
    measureEach(fusionContestants(options.encoder!, set), set, { measure: measureQuality, progress }),
  );
}

interface MeasureOptions<Kind> {
  readonly measure: (contestant: Contestant, set: QuerySet) => Kind;
  readonly progress: (line: string) => void;
}

function measureEach<Kind>(
  contestants: readonly Contestant[],
  set: QuerySet,
  { measure, progress }: MeasureOptions<Kind>,
): Kind[] {
  return contestants.map((contestant) => {
    progress(`${set.name}: ${contestant.name}`);
    return measure(contestant, set);
  });
}

function measureGrowth(sets: readonly QuerySet[], options: Options): GrowthPoint[] {
  const largest = sets.reduce((best, set) => (set.tools.length > best.tools.length ? set : best));
  return growth(largest, SIZES, progressOf(options));
}

function contestantsFor(set: QuerySet, { encoder }: Options): readonly Contestant[] {
  return encoder === undefined ? CONTESTANTS : [...CONTESTANTS, ...encoderContestants(encoder, set)];
}

function readQuerySets({ data, pair }: Options): QuerySet[] {
  const own = (file: string): string => new URL(`own/${file}`, import.meta.url).pathname;
  const { catalog, queries } = pair ?? { catalog: own('catalog.jsonl'), queries: own('queries.jsonl') };
  const sets = data === undefined ? [readSet(pair ? 'given' : 'own', catalog, queries)] : readSets(data);
  for (const set of sets) reportMissing(set);
  return sets;
}

function reportMissing({ name, missing }: QuerySet): void {
  if (missing.tools === 0) return;
  process.stderr.write(
    `${name}: ${missing.tools} relevant tools are not in the catalog; ${missing.queries} queries have no other relevant tool and are skipped\n`,
  );
}

function progressOf({ json }: Options): (line: string) => void {
  return (line) => {
    if (!json) process.stderr.write(`${line}\n`);
  };
}
