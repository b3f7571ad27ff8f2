import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { expandedSize } from './regexp-size.ts';

export interface LinearRegexpOptions {
  /** Longer sources are not compiled (characters). */
  readonly maxLength: number;
  /** Larger programs are not compiled (instructions); compiling one instruction takes a microsecond or two. */
  readonly maxSize: number;
  readonly ignoreCase?: boolean;
}

/** A search that goes through one text, match by match. */
export interface LinearMatcher {
  /** Moves to the next match, or to the first one at or behind `from`. */
  find(from?: number): boolean;
  /** Where the match, or a group of it, starts; -1 for a group that took no part. */
  start(group?: number): number;
  end(group?: number): number;
}

/** A regular expression on RE2, whose time is linear in the text, whatever pattern an untrusted party wrote. */
export class LinearRegexp {
  readonly #compiled: RE2JS;
  /** The longest that one character of text takes. */
  readonly microsecondsPerCharacter: number;

  private constructor(compiled: RE2JS) {
    this.#compiled = compiled;
    const size = compiled.programSize();
    // Measured: a small automaton is built once and then walked; a large one can be rebuilt at every character.
    this.microsecondsPerCharacter = size <= 16 ? 0.05 : 0.02 * size;
  }

  /** Undefined where the source is beyond the limits, or needs look-around, back-references or huge repetitions. */
  static compile(source: string, options: LinearRegexpOptions): LinearRegexp | undefined {
    if (source.length > options.maxLength) return undefined;
    try {
      const pattern = RE2JS.translateRegExp(source);
      if (expandedSize(pattern) > options.maxSize) return undefined;
      return new LinearRegexp(RE2JS.compile(pattern, options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
    } catch {
      return undefined;
    }
  }

  get groupCount(): number {
    return this.#compiled.groupCount();
  }

  /** Whether the text contains a match. */
  test(text: string): boolean {
    return this.#compiled.test(text);
  }

  /** Whether the whole text is a match. */
  matches(text: string): boolean {
    return this.#compiled.matches(text);
  }

  /** Where the first match starts; -1 where there is none. */
  search(text: string): number {
    const matcher = this.#compiled.matcher(text);
    return matcher.find() ? matcher.start() : -1;
  }

  matcher(text: string): LinearMatcher {
    return this.#compiled.matcher(text);
  }
}

/** An upper bound of the instructions that a source compiles to, without compiling it. */
export function estimateProgramSize(source: string): number {
  return expandedSize(RE2JS.translateRegExp(source));
}

/** Compiles each source once and keeps those that were used last; sources that cannot be compiled are kept too. */
export class LinearRegexpCache {
  readonly #options: LinearRegexpOptions;
  readonly #entries: LRUCache<string, { readonly regexp: LinearRegexp | undefined }>;

  constructor({ maxEntries, ...options }: LinearRegexpOptions & { readonly maxEntries: number }) {
    this.#options = options;
    this.#entries = new LRUCache({ max: maxEntries });
  }

  get(source: string): LinearRegexp | undefined {
    let entry = this.#entries.get(source);
    if (!entry) {
      entry = { regexp: LinearRegexp.compile(source, this.#options) };
      this.#entries.set(source, entry);
    }
    return entry.regexp;
  }
}
