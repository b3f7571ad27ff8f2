/** What admission changed, refused or noticed about one tool. */
export interface Finding {
  /** `left_out`: the tool is valid, but the operator switched it off or the gateway cannot call it. */
  readonly kind: 'repaired' | 'refused' | 'flagged' | 'left_out';
  readonly namespace: string;
  /** The name that the upstream gave, made printable. */
  readonly upstreamName: string;
  readonly toolId: string | undefined;
  /** Callers learn nothing about refused tools that are internal. */
  readonly visibility: 'external' | 'internal';
  readonly code:
    | 'NAME'
    | 'VERSION'
    | 'DESCRIPTION'
    | 'SCHEMA_INVALID'
    | 'DUPLICATE'
    | 'TERMS'
    | 'OFF'
    | 'UNSUPPORTED';
  readonly reason: string;
}

/** Adds a finding about the tool that is being admitted. */
export type ReportFinding = (kind: Finding['kind'], code: Finding['code'], reason: string) => void;

/** The result of refreshing one upstream: it shows an operator why a tool is missing. */
export interface RefreshReport {
  readonly namespace: string;
  readonly offered: number;
  readonly registered: number;
  readonly findings: readonly Finding[];
}
