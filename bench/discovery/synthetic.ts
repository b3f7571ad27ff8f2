import type { ToolContract } from '../../src/contract/tool/tool.ts';
import type { QuerySet } from './data.ts';

// Primes, so that a tool is paired with another tool in each round.
const NEXT_TOOL = 7_919;
const NEXT_ROUND = 104_729;

/**
 * Extends a catalog with synthetic tools. Each combines two real ones: the first words of one tool's server, name and
 * description, the last words of the other's, and the other's parameters. Servers of relevant tools are not used,
 * because the new tools could be relevant without a label.
 */
export function growTo(size: number, set: QuerySet): QuerySet {
  const parents = selectParents(set);
  const children = Array.from({ length: size - set.tools.length }, (_, child) => {
    const round = Math.floor(child / parents.length) + 1;
    const first = parents[child % parents.length]!;
    const other = parents[(child * NEXT_TOOL + round * NEXT_ROUND) % parents.length]!;
    return combine(first, other, round);
  });
  return {
    ...set,
    tools: [...set.tools, ...children],
    names: [...set.names, ...children.map(({ id }) => id)],
  };
}

function selectParents({ tools, names, queries }: QuerySet): readonly ToolContract[] {
  const relevant = new Set(queries.flatMap((query) => [...query.relevant]));
  const servers = new Set(
    tools.filter((_, tool) => relevant.has(names[tool]!)).map(({ namespace }) => namespace),
  );
  const parents = tools.filter(({ namespace }) => !servers.has(namespace));
  return parents.length > 0 ? parents : tools;
}

function combine(first: ToolContract, other: ToolContract, round: number): ToolContract {
  const namespace = splice(first.namespace, other.namespace, '-');
  const name = splice(first.name, other.name, '_');
  return {
    ...other,
    id: `synthetic ${round} ${first.id} ${other.id}`,
    namespace,
    name,
    title: undefined,
    description: splice(first.description, other.description, ' '),
  };
}

function splice(head: string, tail: string, separator: string): string {
  const [first, last] = [head.split(/[\s_-]+/), tail.split(/[\s_-]+/)];
  return [
    ...first.slice(0, Math.ceil(first.length / 2)),
    ...last.slice(Math.min(Math.floor(last.length / 2), last.length - 1)),
  ].join(separator);
}
