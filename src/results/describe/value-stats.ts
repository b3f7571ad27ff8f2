const MAX_DISTINCT = 1_000;
const MAX_TEXT_LENGTH = 64;
const MAX_LISTED = 8;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** What is known of the values that one column or one member has: kinds, ranges, and which they are where they are few. */
export class ValueStats {
  #nulls = 0;
  #numbers: { least: number; most: number; areWhole: boolean } | undefined;
  #dates: { first: string; last: string } | undefined;
  #otherTexts = false;
  #longest = 0;
  readonly #counts = new Map<string | boolean, number>();
  #hasMore = false;

  add(value: string | number | boolean | null): void {
    if (value === null) this.#nulls++;
    else if (typeof value === 'number') this.#addNumber(value);
    else {
      if (typeof value === 'string') this.#addText(value);
      this.#count(value);
    }
  }

  #addNumber(value: number): void {
    const { least, most, areWhole } = this.#numbers ?? { least: value, most: value, areWhole: true };
    this.#numbers = {
      least: Math.min(least, value),
      most: Math.max(most, value),
      areWhole: areWhole && Number.isInteger(value),
    };
  }

  #addText(text: string): void {
    this.#longest = Math.max(this.#longest, text.length);
    if (this.#otherTexts) return;
    if (text.length > MAX_TEXT_LENGTH || !DATE.test(text)) {
      this.#otherTexts = true;
      return;
    }
    const { first, last } = this.#dates ?? { first: text, last: text };
    this.#dates = { first: text < first ? text : first, last: text > last ? text : last };
  }

  #count(value: string | boolean): void {
    const key = typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : value;
    const count = this.#counts.get(key);
    if (count !== undefined || this.#counts.size < MAX_DISTINCT) this.#counts.set(key, (count ?? 0) + 1);
    else this.#hasMore = true;
  }

  /** In words, such as `integer 1..120`, `"paid" ×90 | "failed" ×12` or `text, 97 distinct`. */
  describe(): string {
    const kinds = [this.#toldNumbers(), this.#toldOthers(), this.#nulls > 0 ? `null ×${this.#nulls}` : ''];
    return kinds.filter((kind) => kind !== '').join(' | ') || 'nothing';
  }

  #toldNumbers(): string {
    if (!this.#numbers) return '';
    const { least, most, areWhole } = this.#numbers;
    return `${areWhole ? 'integer' : 'number'} ${least === most ? least : `${least}..${most}`}`;
  }

  #toldOthers(): string {
    const { size } = this.#counts;
    if (size === 0) return '';
    if (this.#dates && !this.#otherTexts && size > 1) return `date ${this.#dates.first}..${this.#dates.last}`;
    const counts = [...this.#counts].sort(([, a], [, b]) => b - a);
    const areFew = size <= MAX_LISTED && this.#longest <= MAX_TEXT_LENGTH;
    const repeat = counts.some(([, count]) => count > 1);
    if (areFew && (repeat || size === 1)) {
      return counts
        .map(([value, count]) => `${JSON.stringify(value)}${repeat ? ` ×${count}` : ''}`)
        .join(' | ');
    }
    return `text, ${this.#hasMore ? `over ${size}` : size} distinct`;
  }
}
