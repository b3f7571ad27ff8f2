import { compileGlob } from '../base/text/glob.ts';
import type { ToolContract } from '../contract/tool/tool.ts';

/** The names by which a config can refer to a tool. */
export type ToolNames = Pick<ToolContract, 'id' | 'namespace' | 'name' | 'upstreamName'>;

interface Pattern {
  readonly key: string;
  readonly matches: (text: string) => boolean;
}

/**
 * Keys by which a config refers to tools: an id, `namespace:name`, or a pattern in which `*` stands for any characters. The
 * keys of a tool are found once and cached with it, so that a call does not search them.
 */
export class ToolKeys {
  readonly #exact: ReadonlySet<string>;
  /** From the least specific to the most specific. */
  readonly #patterns: readonly Pattern[];
  readonly #cache = new WeakMap<ToolNames, readonly string[]>();

  constructor(keys: Iterable<string>) {
    const all = [...keys];
    this.#exact = new Set(all.filter((key) => !isPattern(key)));
    this.#patterns = all
      .filter(isPattern)
      .sort((a, b) => literalLength(a) - literalLength(b))
      .map((key) => ({ key, matches: compileGlob(key) }));
  }

  /**
   * The keys that match a tool, the most specific last: patterns by their number of characters other than `*` and then by
   * their order, after them `namespace:name`, and after it the id.
   */
  matching(tool: ToolNames): readonly string[] {
    let keys = this.#cache.get(tool);
    if (!keys) {
      const names = namesOf(tool);
      const patterns = this.#patterns.filter(({ matches }) => names.some(matches)).map(({ key }) => key);
      keys = [...patterns, ...names.filter((name) => this.#exact.has(name))];
      this.#cache.set(tool, keys);
    }
    return keys;
  }
}

/** The upstream's own name comes first: a key with the repaired name is more specific. */
function namesOf({ id, namespace, name, upstreamName }: ToolNames): string[] {
  return [...new Set([`${namespace}:${upstreamName}`, `${namespace}:${name}`, id])];
}

export function isPattern(key: string): boolean {
  return key.includes('*');
}

function literalLength(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}
