/** What happened to one tool on its way in. */
export interface Finding {
  readonly kind: 'repaired' | 'refused' | 'flagged';
  readonly namespace: string;
  /** As the upstream wrote it, made printable. */
  readonly upstreamName: string;
  readonly toolId: string | undefined;
  readonly code: 'NAME' | 'VERSION' | 'DESCRIPTION' | 'SCHEMA_INVALID' | 'DUPLICATE' | 'TERMS';
  readonly reason: string;
}

/** What a refresh of one upstream brought: the operator's answer to «where is my tool?». */
export interface RefreshReport {
  readonly namespace: string;
  /** Of tools that callers may not know nobody tells them why they are not there. */
  readonly visibility: 'external' | 'internal';
  readonly offered: number;
  readonly registered: number;
  readonly findings: readonly Finding[];
}
