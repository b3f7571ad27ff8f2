export const ERROR_CODES = [
  'INVALID_INPUT',
  'SCHEMA_INVALID',
  'TOOL_NOT_FOUND',
  'WRONG_OPERATION_TYPE',
  'AUTHENTICATION_REQUIRED',
  'AUTHORIZATION_DENIED',
  'APPROVAL_REQUIRED',
  'RATE_LIMITED',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_AUTH_FAILED',
  'UPSTREAM_FAILURE',
  'PRECONDITION_FAILED',
  'CONFLICT',
  'RESOURCE_EXHAUSTED',
  'TOOL_QUARANTINED',
  'TOOL_DEPRECATED',
  'COMPOSITE_PARTIAL_FAILURE',
  'RETRY_EXHAUSTED',
  'INTERNAL_TOOL_ERROR',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Special cases of a code, which a surface may report under another code. */
export interface ErrorVariants {
  readonly INVALID_INPUT: 'unparsable' | 'oversized' | 'upstream' | 'path' | 'view';
  readonly TOOL_NOT_FOUND: 'upstream' | 'path' | 'view' | 'resource' | 'prompt';
  readonly AUTHORIZATION_DENIED: 'policy';
  readonly CANCELLED: 'shutdown';
  readonly UPSTREAM_UNAVAILABLE: 'store';
  readonly UPSTREAM_FAILURE: 'tool';
  readonly CONFLICT: 'other_arguments' | 'unknown';
}

export type VariantsOf<Code extends ErrorCode> = Code extends keyof ErrorVariants
  ? ErrorVariants[Code]
  : never;
