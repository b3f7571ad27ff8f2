/** A stretch of text that must not leave, and the rule that says so. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** One place of a text that a rule is asked about. */
export interface RuleInput {
  readonly text: string;
  readonly at: number;
  /** Up to here everything is decided: a span starts here or later, and whatever starts here starts a word. */
  readonly free: number;
}

export interface RedactionRule {
  readonly name: string;
  /** In lower case, of three characters or more: only where one of these stands, in any case, is the rule asked. */
  readonly opens: readonly string[];
  /** What has to follow an opening that is part of many words, as the source of a pattern. */
  readonly opensBefore?: string;
  /** Whether the rule is worth asking where an opening stands; it is where this is missing. */
  readonly isWorthAsking?: (text: string, at: number) => boolean;
  /** It knows the surroundings of a secret and not its form; a rule that knows the form names it better. */
  readonly general?: boolean;
  /**
   * The secrets at a place, in order. The work is bounded by a constant, or by the text that is given back as found, or
   * by a run that no later place reads again: texts of megabytes pass here, and anybody may have written them.
   */
  find(place: RuleInput): readonly Span[];
}

export const NOTHING: readonly Span[] = [];

export function marker(rule: string): string {
  return `[redacted:${rule}]`;
}

const MARKERS = /\[redacted:[a-z0-9-]{1,40}\]/g;
const LONGEST_MARKER = 64;
const OPEN_MARKER = /\[redacted:[a-z0-9-]{0,40}$/;
const CLOSED_MARKER = /^[a-z0-9-]{0,40}\]/;

/** What of a text is not a marker: only that can still be a secret. */
export function withoutMarkers(text: string): string {
  return text.includes('[redacted:') ? text.replace(MARKERS, '') : text;
}

/** Whether a place lies in a marker: the names of rules are words like `token`. */
export function isInMarker(text: string, at: number): boolean {
  return (
    OPEN_MARKER.test(text.slice(Math.max(0, at - LONGEST_MARKER), at)) &&
    CLOSED_MARKER.test(text.slice(at, at + LONGEST_MARKER))
  );
}
