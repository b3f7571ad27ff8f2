/** A stretch of text that must not leave, and the rule that says so. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** One place of a text that a rule is asked about. */
export interface Place {
  readonly text: string;
  readonly at: number;
  /** Up to here everything is decided: a span starts here or later, and whatever starts here starts a word. */
  readonly free: number;
}

export interface Rule {
  readonly name: string;
  /**
   * Sources of patterns, compared without case: only where one of them matches is the rule asked. Each begins with a
   * character or a class, and short ones keep clean text fast.
   */
  readonly opens: readonly string[];
  /** It knows the surroundings of a secret and not its form; a rule that knows the form names it better. */
  readonly general?: boolean;
  /**
   * The secrets at a place, in order. The work is bounded by a constant, or by the text that is given back as found, or
   * by a run that no later place reads again: texts of megabytes pass here, and anybody may have written them.
   */
  find(place: Place): readonly Span[];
}

export const NOTHING: readonly Span[] = [];

export function marker(rule: string): string {
  return `[redacted:${rule}]`;
}

/** How every marker begins. What holds one was judged before and is not judged again. */
export const MARKED = '[redacted:';
