import { parseArgs } from 'node:util';
import type { Half } from './data.ts';
import { InputError } from './input-error.ts';

/** The contestants are compared, or something else is measured instead. */
export type Task = 'compare' | 'ablation' | 'crossfit' | 'examples' | 'fusion' | 'growth' | 'write';

export interface Options {
  readonly task: Task;
  readonly data: string | undefined;
  readonly pair: { readonly catalog: string; readonly queries: string } | undefined;
  readonly encoder: string | undefined;
  readonly half: Half | undefined;
  readonly json: boolean;
}

export const USAGE = `npm run bench:discovery -- [options]

How well and how fast the right tool is found, against baselines in the same run.

  --data DIR        every set in a folder: a subfolder each, with catalog.jsonl and queries.jsonl
  --catalog FILE    one catalog: a line {"name", "description"?, "server"?, "inputSchema"?} a tool, with
  --queries FILE    its queries: a line {"query", "relevant": [names], "kind"?} each; the repository's own pair where none is given
  --encoder DIR     also rank by the vectors of a sentence encoder, which bench/discovery/encode.py wrote there
  --half HALF       train or dev: half of the queries, by the hash of their text. Choose on one, judge on the other
  --json            JSON on standard output, and nothing else there

Instead of the comparison, one of:
  --ablation        Toolgate with one part taken away at a time
  --crossfit        each half judged by the weights that are best on the other
  --examples        Toolgate with past requests as examples: up to three of each tool's queries, judged on the others
  --fusion          the encoder fused with BM25F at several weights
  --growth          BM25F and Toolgate in catalogs of 10 to 100,000 tools, made from the largest set
  --write           all but the fusion, on the dev half unless told otherwise, into docs/reference/discovery.md and its plots

Examples:
  npm run bench:discovery
  npm run bench:discovery -- --catalog tools.jsonl --queries asked.jsonl --json
  npm run bench:discovery -- --data sets --half train --encoder vectors --fusion
  npm run bench:discovery -- --data sets --encoder vectors --write
`;

/** @returns undefined where help was asked for. */
export function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const { data, catalog, queries, encoder, half, json } = values;
  const tasks = (['ablation', 'crossfit', 'examples', 'fusion', 'growth', 'write'] as const).filter(
    (task) => values[task],
  );
  if (tasks.length > 1) throw new InputError(`--${tasks.join(' and --')}: one at a time`);
  const task = tasks[0] ?? 'compare';
  if ((catalog === undefined) !== (queries === undefined))
    throw new InputError('--catalog and --queries belong together');
  if (data !== undefined && catalog !== undefined)
    throw new InputError('--data, or --catalog and --queries: not both');
  if (half !== undefined && half !== 'train' && half !== 'dev')
    throw new InputError(`--half ${half}: there are train and dev`);
  if (task === 'fusion' && encoder === undefined) throw new InputError('--fusion needs --encoder');
  if ((task === 'crossfit' || task === 'examples') && half !== undefined)
    throw new InputError(`--${task} uses both halves: leave --half out`);
  if (task === 'write' && json) throw new InputError('--write prints no JSON');
  return {
    task,
    data,
    pair: catalog !== undefined && queries !== undefined ? { catalog, queries } : undefined,
    encoder,
    half: half ?? (task === 'write' ? 'dev' : undefined),
    json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: 'string' },
        catalog: { type: 'string' },
        queries: { type: 'string' },
        encoder: { type: 'string' },
        half: { type: 'string' },
        ablation: { type: 'boolean' },
        crossfit: { type: 'boolean' },
        examples: { type: 'boolean' },
        fusion: { type: 'boolean' },
        growth: { type: 'boolean' },
        write: { type: 'boolean' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (thrown) {
    throw new InputError((thrown as Error).message);
  }
}
