import { parseArgs } from 'node:util';
import type { Half } from './data.ts';
import { InputError } from './input-error.ts';

/** What the benchmark measures. */
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

Measures the quality and the speed of tool ranking, with baselines in the same run.

  --data DIR        a folder of sets: one subfolder per set, with catalog.jsonl and queries.jsonl
  --catalog FILE    one catalog: a line {"name", "description"?, "server"?, "inputSchema"?} per tool
  --queries FILE    its queries: a line {"query", "relevant": [names], "kind"?} per query
                    (default for both: the repository's own set)
  --encoder DIR     also rank by the vectors that bench/discovery/encode.py wrote to this folder
  --half HALF       train or dev: half of the queries, by the hash of their text. Choose weights on one, measure on the other
  --json            print only JSON on standard output

Instead of the comparison, one of:
  --ablation        Toolgate without one signal at a time
  --crossfit        each half measured with the weights that are best on the other half
  --examples        Toolgate with up to three queries of each tool as usage examples, measured on the other queries
  --fusion          the encoder combined with BM25F, with several weights
  --growth          BM25F and Toolgate in catalogs of 10 to 100,000 tools, made from the largest set
  --write           write all but the fusion to docs/reference/discovery.md and its plots (default half: dev)

Examples:
  npm run bench:discovery
  npm run bench:discovery -- --catalog tools.jsonl --queries queries.jsonl --json
  npm run bench:discovery -- --data sets --half train --encoder vectors --fusion
  npm run bench:discovery -- --data sets --encoder vectors --write
`;

/** @returns undefined for `--help`. */
export function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const { data, catalog, queries, encoder, half, json } = values;
  const tasks = (['ablation', 'crossfit', 'examples', 'fusion', 'growth', 'write'] as const).filter(
    (task) => values[task],
  );
  if (tasks.length > 1) throw new InputError(`--${tasks.join(' and --')}: give only one of them`);
  const task = tasks[0] ?? 'compare';
  if ((catalog === undefined) !== (queries === undefined))
    throw new InputError('--catalog and --queries must be given together');
  if (data !== undefined && catalog !== undefined)
    throw new InputError('give either --data, or --catalog and --queries, not both');
  if (half !== undefined && half !== 'train' && half !== 'dev')
    throw new InputError(`--half ${half}: must be train or dev`);
  if (task === 'fusion' && encoder === undefined) throw new InputError('--fusion needs --encoder');
  if ((task === 'crossfit' || task === 'examples') && half !== undefined)
    throw new InputError(`--${task} uses both halves: omit --half`);
  if (task === 'write' && json) throw new InputError('--write and --json cannot be combined');
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
