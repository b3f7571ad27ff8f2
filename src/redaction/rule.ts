import type { TextRange } from '../base/text/range.ts';

/** A range of text to redact, and the rule that found it. */
export interface Span extends TextRange {
  readonly rule: string;
}

/** A position in a text at which a keyword of a rule occurs. */
export interface RuleInput {
  readonly text: string;
  readonly at: number;
  /** End of the previous span. A new span starts here or later, and text that starts here counts as the start of a word. */
  readonly minStart: number;
}

export interface RedactionRule {
  readonly name: string;
  /** Lower-case literals of at least three characters. The rule runs only where one of them occurs, in upper or lower case. */
  readonly keywords: readonly string[];
  /** Source of a pattern that must follow a keyword, for keywords that are part of many words. */
  readonly keywordLookahead?: string;
  /** Cheap check before `find`; a rule without it runs at each of its keywords. */
  readonly isCandidate?: (text: string, at: number) => boolean;
  /** Whether the rule knows the context of a secret, not its form. A rule that knows the form takes precedence. */
  readonly isContextual?: boolean;
  /**
   * Finds the secrets at a position, in order. The work must be bounded by a constant, by the length of the spans
   * returned, or by a run that no later position reads again: texts have megabytes and may be hostile.
   */
  find(input: RuleInput): readonly Span[];
}

export const NO_SPANS: readonly Span[] = [];

export function formatMarker(rule: string): string {
  return `[redacted:${rule}]`;
}

const MARKERS = /\[redacted:[a-z0-9-]{1,40}\]/g;
const MAX_MARKER_LENGTH = 64;
const OPEN_MARKER = /\[redacted:[a-z0-9-]{0,40}$/;
const CLOSED_MARKER = /^[a-z0-9-]{0,40}\]/;

/** Removes markers: only the rest of a text can still be a secret. */
export function stripMarkers(text: string): string {
  return text.includes('[redacted:') ? text.replace(MARKERS, '') : text;
}

/** Whether an index lies inside a marker. Rule names contain keywords such as `token`. */
export function isInMarker(text: string, at: number): boolean {
  return (
    OPEN_MARKER.test(text.slice(Math.max(0, at - MAX_MARKER_LENGTH), at)) &&
    CLOSED_MARKER.test(text.slice(at, at + MAX_MARKER_LENGTH))
  );
}
