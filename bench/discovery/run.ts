/** `npm run bench:discovery`: how well and how fast the right tool is found, against baselines in the same run. */
import { type Row, rowOf } from './compare.ts';
import { ABLATIONS, CONTESTANTS, type Contestant } from './contestants.ts';
import { type Crossfit, crossfit } from './crossfit.ts';
import { halfOf, type QuerySet, readSet, setsIn } from './data.ts';
import { writePage, writePlot } from './docs-page.ts';
import { encoderContestants, fusionContestants } from './encoder.ts';
import { withExamples } from './examples.ts';
import { type GrowthPoint, growth, SIZES } from './growth.ts';
import { latencyPlot, recallPlot } from './growth-plots.ts';
import { InputError } from './input-error.ts';
import { type Judged, judge } from './measure.ts';
import { type Options, readOptions, type Task, USAGE } from './options.ts';
import { comparisonText, crossfitText, examplesText, growthText, meansText } from './tables.ts';

try {
  const options = readOptions(process.argv.slice(2));
  if (options) main(options);
  else process.stdout.write(USAGE);
} catch (thrown) {
  if (!(thrown instanceof InputError)) throw thrown;
  process.stderr.write(`${thrown.message}\n\`--help\` tells the options.\n`);
  process.exitCode = 2;
}

function main(options: Options): void {
  const whole = querySets(options);
  const { half } = options;
  const sets = half === undefined ? whole : whole.map((set) => halfOf(set, half));
  if (options.task === 'write') {
    write(sets, whole, options);
    return;
  }
  const { measured, text } = resultOf(options.task, sets, options);
  console.log(options.json ? JSON.stringify(measured, null, 2) : text);
}

interface Result {
  readonly measured: readonly Judged[] | readonly GrowthPoint[] | Crossfit;
  readonly text: string;
}

function resultOf(task: Exclude<Task, 'write'>, sets: readonly QuerySet[], options: Options): Result {
  if (task === 'growth') {
    const measured = growthOf(sets, options);
    return { measured, text: growthText(measured) };
  }
  if (task === 'compare') {
    const measured = comparison(sets, options);
    return { measured, text: comparisonText(measured) };
  }
  if (task === 'crossfit') {
    const measured = crossfit(sets, progressOf(options));
    return { measured, text: crossfitText(measured) };
  }
  if (task === 'examples') {
    const measured = sets.flatMap(withExamples);
    return { measured, text: examplesText(measured) };
  }
  const measured = task === 'ablation' ? ablation(sets, options) : fusion(sets, options);
  return { measured, text: meansText(measured) };
}

function write(sets: readonly QuerySet[], whole: readonly QuerySet[], options: Options): void {
  const rows = comparison(sets, options);
  const parts = ablation(sets, options);
  const points = growthOf(sets, options);
  writePlot('discovery-recall', recallPlot(points));
  writePlot('discovery-latency', latencyPlot(points));
  writePage({
    comparison: comparisonText(rows),
    crossfit: crossfitText(crossfit(whole, progressOf(options))),
    parts: meansText(parts),
    examples: examplesText(whole.flatMap(withExamples)),
    growth: growthText(points),
  });
}

function comparison(sets: readonly QuerySet[], options: Options): Row[] {
  return sets.flatMap((set) => rowsOf(set, contestantsFor(set, options), rowOf, options));
}

function ablation(sets: readonly QuerySet[], options: Options): Judged[] {
  return sets.flatMap((set) => rowsOf(set, ABLATIONS, judge, options));
}

function fusion(sets: readonly QuerySet[], options: Options): Judged[] {
  return sets.flatMap((set) => rowsOf(set, fusionContestants(options.encoder!, set), judge, options));
}

function rowsOf<Kind>(
  set: QuerySet,
  contestants: readonly Contestant[],
  measured: (contestant: Contestant, set: QuerySet) => Kind,
  options: Options,
): Kind[] {
  const progress = progressOf(options);
  return contestants.map((contestant) => {
    progress(`${set.name}: ${contestant.name}`);
    return measured(contestant, set);
  });
}

function growthOf(sets: readonly QuerySet[], options: Options): GrowthPoint[] {
  const largest = sets.reduce((most, set) => (set.tools.length > most.tools.length ? set : most));
  return growth(largest, SIZES, progressOf(options));
}

function contestantsFor(set: QuerySet, { encoder }: Options): readonly Contestant[] {
  return encoder === undefined ? CONTESTANTS : [...CONTESTANTS, ...encoderContestants(encoder, set)];
}

function querySets({ data, pair }: Options): QuerySet[] {
  const own = (file: string): string => new URL(`own/${file}`, import.meta.url).pathname;
  const { catalog, queries } = pair ?? { catalog: own('catalog.jsonl'), queries: own('queries.jsonl') };
  const sets = data === undefined ? [readSet(pair ? 'given' : 'own', catalog, queries)] : setsIn(data);
  for (const set of sets) tellMissing(set);
  return sets;
}

function tellMissing({ name, missing }: QuerySet): void {
  if (missing.tools === 0) return;
  process.stderr.write(
    `${name}: ${missing.tools} relevant tools are not in the catalog; ${missing.queries} queries have no other and are left out\n`,
  );
}

function progressOf({ json }: Options): (line: string) => void {
  return (line) => {
    if (!json) process.stderr.write(`${line}\n`);
  };
}
