import { CpuBudget } from '../../base/cpu-budget.ts';
import { parsePath } from './jsonpath/parse.ts';
import type { Place, Query } from './jsonpath/query.ts';
import { UnusablePattern } from './jsonpath/regexp.ts';
import { TooMuchToVisit, visitNodes } from './jsonpath/walk.ts';
import { pageOf } from './page.ts';
import { flag, readJson, viewFault, wholeNumber } from './parameters.ts';
import type { Parameters, Selector } from './selector.ts';

const NODES_A_PAGE = 100;
const MAX_MILLISECONDS = 50;

/** What a JSONPath (RFC 9535) selects, a line of JSON for each node; with `paths`, where each of them is. */
export const jsonPath: Selector = {
  parameters: ['path', 'start', 'from', 'paths'],
  select(artifact, parameters, room) {
    const query = queryIn(parameters);
    const start = wholeNumber(parameters, 'start', 0, 0);
    const from = wholeNumber(parameters, 'from', 0, 0);
    const withPaths = flag(parameters, 'paths');
    const { nodes, total } = nodesOf(query, readJson(artifact), start);
    const { texts, next = { start: start + nodes.length } } = pageOf(
      { start, from },
      { end: start + nodes.length, room },
      (index) => {
        const place = nodes[index - start]!;
        return `${withPaths ? `${normalizedPath(place)}: ` : ''}${JSON.stringify(place.value)}`;
      },
    );
    return {
      text: total === 0 ? 'nothing matches' : texts.join('\n'),
      totals: { nodes: total },
      ...(next.start < total && {
        next: { jsonpath: { path: parameters.path, ...next, ...(withPaths && { paths: true }) } },
      }),
    };
  },
};

function queryIn({ path }: Parameters): Query {
  const query = typeof path === 'string' ? parsePath(path) : undefined;
  if (query) return query;
  throw viewFault('"path" must be a JSONPath of RFC 9535, such as "$.items[?@.status == \'failed\'].id".');
}

/** Those of one page; the others are only counted. */
function nodesOf(query: Query, document: unknown, start: number): { nodes: Place[]; total: number } {
  const nodes: Place[] = [];
  let total = 0;
  const visit = (place: Place): void => {
    if (total >= start && nodes.length < NODES_A_PAGE) nodes.push(place);
    total++;
  };
  try {
    visitNodes(query, document, { effort: new CpuBudget(MAX_MILLISECONDS), visit });
  } catch (thrown) {
    if (thrown instanceof TooMuchToVisit) {
      throw viewFault('This path visits too much. Name members instead of "..", and use fewer filters.');
    }
    if (thrown instanceof UnusablePattern) {
      throw viewFault('A pattern in this path cannot be used: no look-around, no back-references, be short.');
    }
    throw thrown;
  }
  return { nodes, total };
}

/** RFC 9535, section 2.7. */
function normalizedPath(place: Place): string {
  const keys: string[] = [];
  for (let at = place; at.parent; at = at.parent) keys.push(`[${quoted(at.key)}]`);
  return `$${keys.reverse().join('')}`;
}

function quoted(key: string | number): string {
  if (typeof key === 'number') return String(key);
  return `'${JSON.stringify(key).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
