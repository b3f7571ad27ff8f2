import { CpuBudget } from '../../base/cpu-budget.ts';
import { parsePath } from './jsonpath/parse.ts';
import type { PathNode, Query } from './jsonpath/query.ts';
import { UnusablePattern } from './jsonpath/regexp.ts';
import { VisitLimitExceeded, visitNodes } from './jsonpath/walk.ts';
import { pageOf } from './page.ts';
import { readFlag, readInteger, readJson, viewFault } from './parameters.ts';
import type { Parameters, Selector } from './selector.ts';

const NODES_PER_PAGE = 100;
const MAX_MILLISECONDS = 50;

/** The nodes that a JSONPath (RFC 9535) selects, one line of JSON each; with `paths`, also the path of each. */
export const jsonPath: Selector = {
  parameters: ['path', 'start', 'from', 'paths'],
  select(artifact, parameters, maxLength) {
    const query = readQuery(parameters);
    const start = readInteger(parameters, 'start', 0, 0);
    const from = readInteger(parameters, 'from', 0, 0);
    const withPaths = readFlag(parameters, 'paths');
    const { nodes, total } = nodesOnPage(query, readJson(artifact), start);
    const { texts, next = { start: start + nodes.length } } = pageOf(
      { start, from },
      { end: start + nodes.length, maxLength },
      (index) => {
        const node = nodes[index - start]!;
        return `${withPaths ? `${normalizedPath(node)}: ` : ''}${JSON.stringify(node.value)}`;
      },
    );
    return {
      text: total === 0 ? 'no match' : texts.join('\n'),
      totals: { nodes: total },
      ...(next.start < total && {
        next: { jsonpath: { path: parameters.path, ...next, ...(withPaths && { paths: true }) } },
      }),
    };
  },
};

function readQuery({ path }: Parameters): Query {
  const query = typeof path === 'string' ? parsePath(path) : undefined;
  if (query) return query;
  throw viewFault('"path" must be a JSONPath of RFC 9535, such as "$.items[?@.status == \'failed\'].id".');
}

/** Collects the nodes of one page and counts the others. */
function nodesOnPage(query: Query, document: unknown, start: number): { nodes: PathNode[]; total: number } {
  const nodes: PathNode[] = [];
  let total = 0;
  const visit = (node: PathNode): void => {
    if (total >= start && nodes.length < NODES_PER_PAGE) nodes.push(node);
    total++;
  };
  try {
    visitNodes(query, document, { budget: new CpuBudget(MAX_MILLISECONDS), visit });
  } catch (thrown) {
    if (thrown instanceof VisitLimitExceeded) {
      throw viewFault('This path visits too many nodes. Name members instead of "..", use fewer filters.');
    }
    if (thrown instanceof UnusablePattern) {
      throw viewFault(
        'Unsupported pattern in this path: no look-around, no back-references, at most 500 characters.',
      );
    }
    throw thrown;
  }
  return { nodes, total };
}

/** RFC 9535, section 2.7. */
function normalizedPath(node: PathNode): string {
  const keys: string[] = [];
  for (let at = node; at.parent; at = at.parent) keys.push(`[${quoteKey(at.key)}]`);
  return `$${keys.reverse().join('')}`;
}

function quoteKey(key: string | number): string {
  if (typeof key === 'number') return String(key);
  return `'${JSON.stringify(key).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
