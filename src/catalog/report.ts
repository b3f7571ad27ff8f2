/** What admission changed, refused or noticed about one tool. */
export interface Finding {
  readonly kind: 'repaired' | 'refused' | 'flagged';
  readonly namespace: string;
  /** The name that the upstream gave, made printable. */
  readonly upstreamName: string;
  readonly toolId: string | undefined;
  readonly code: 'NAME' | 'VERSION' | 'DESCRIPTION' | 'SCHEMA_INVALID' | 'DUPLICATE' | 'TERMS';
  readonly reason: string;
}

/** Adds a finding about the tool that is being admitted. */
export type ReportFinding = (kind: Finding['kind'], code: Finding['code'], reason: string) => void;

/** The result of refreshing one upstream: it shows an operator why a tool is missing. */
export interface RefreshReport {
  readonly namespace: string;
  /** Callers learn nothing about refused tools of an internal upstream. */
  readonly visibility: 'external' | 'internal';
  readonly offered: number;
  readonly registered: number;
  readonly findings: readonly Finding[];
}
