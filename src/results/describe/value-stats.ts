const MAX_DISTINCT = 1_000;
const MAX_TEXT_LENGTH = 64;
const MAX_LISTED = 8;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Statistics of the values of one column or member: kinds, ranges, and the values themselves if they are few. */
export class ValueStats {
  #nulls = 0;
  #numbers: { min: number; max: number; areIntegers: boolean } | undefined;
  #dates: { first: string; last: string } | undefined;
  #hasOtherTexts = false;
  #longest = 0;
  readonly #counts = new Map<string | boolean, number>();
  /** Whether further values were left uncounted. */
  #isIncomplete = false;

  add(value: string | number | boolean | null): void {
    if (value === null) this.#nulls++;
    else if (typeof value === 'number') this.#addNumber(value);
    else {
      if (typeof value === 'string') this.#addText(value);
      this.#count(value);
    }
  }

  #addNumber(value: number): void {
    const { min, max, areIntegers } = this.#numbers ?? { min: value, max: value, areIntegers: true };
    this.#numbers = {
      min: Math.min(min, value),
      max: Math.max(max, value),
      areIntegers: areIntegers && Number.isInteger(value),
    };
  }

  #addText(text: string): void {
    this.#longest = Math.max(this.#longest, text.length);
    if (this.#hasOtherTexts) return;
    if (text.length > MAX_TEXT_LENGTH || !DATE.test(text)) {
      this.#hasOtherTexts = true;
      return;
    }
    const { first, last } = this.#dates ?? { first: text, last: text };
    this.#dates = { first: text < first ? text : first, last: text > last ? text : last };
  }

  #count(value: string | boolean): void {
    const key = typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : value;
    const count = this.#counts.get(key);
    if (count !== undefined || this.#counts.size < MAX_DISTINCT) this.#counts.set(key, (count ?? 0) + 1);
    else this.#isIncomplete = true;
  }

  /** For example `integer 1..120`, `"paid" ×90 | "failed" ×12` or `text, 97 distinct`. */
  describe(): string {
    const nulls = this.#nulls > 0 ? `null ×${this.#nulls}` : '';
    const kinds = [this.#describeNumbers(), this.#describeOthers(), nulls];
    return kinds.filter((kind) => kind !== '').join(' | ') || 'nothing';
  }

  #describeNumbers(): string {
    if (!this.#numbers) return '';
    const { min, max, areIntegers } = this.#numbers;
    return `${areIntegers ? 'integer' : 'number'} ${min === max ? min : `${min}..${max}`}`;
  }

  #describeOthers(): string {
    const { size } = this.#counts;
    if (size === 0) return '';
    if (this.#dates && !this.#hasOtherTexts && size > 1)
      return `date ${this.#dates.first}..${this.#dates.last}`;
    const counts = [...this.#counts].sort(([, a], [, b]) => b - a);
    const areFew = size <= MAX_LISTED && this.#longest <= MAX_TEXT_LENGTH;
    const areRepeated = counts.some(([, count]) => count > 1);
    if (areFew && (areRepeated || size === 1)) {
      return counts
        .map(([value, count]) => `${JSON.stringify(value)}${areRepeated ? ` ×${count}` : ''}`)
        .join(' | ');
    }
    return `text, ${this.#isIncomplete ? `over ${size}` : size} distinct`;
  }
}
