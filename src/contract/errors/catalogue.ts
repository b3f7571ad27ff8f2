/**
 * The one error catalogue. A code has a form for every surface and an entry for the reader; a code without all of
 * them does not compile, and `docs/reference/errors.md` is compared with this table by a test.
 */
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

export interface ErrorDescription {
  /** The word on the gateway and proxy surfaces. */
  readonly gateway: string;
  /** The word on the operations surface and over HTTP. */
  readonly operations: string;
  readonly httpStatus: number;
  /** Whether the same call may succeed when it is sent again. */
  readonly retryable: boolean;
  readonly meaning: string;
  /** What the caller does next. */
  readonly next: string;
}

/** Circumstances under which a surface has another word for a code. */
interface ErrorVariants {
  readonly INVALID_INPUT: 'unparsable' | 'oversized' | 'path' | 'view';
  readonly TOOL_NOT_FOUND: 'path' | 'view' | 'resource' | 'prompt';
  readonly AUTHORIZATION_DENIED: 'policy';
  readonly DEADLINE_EXCEEDED: 'cancelled';
  readonly UPSTREAM_FAILURE: 'tool';
  readonly CONFLICT: 'other_arguments' | 'unknown';
}

export type VariantsOf<Code extends ErrorCode> = Code extends keyof ErrorVariants
  ? ErrorVariants[Code]
  : never;

type ErrorCatalogue = {
  readonly [Code in ErrorCode]: ErrorDescription &
    (Code extends keyof ErrorVariants
      ? { readonly variants: Readonly<Record<ErrorVariants[Code], Partial<ErrorDescription>>> }
      : { readonly variants?: never });
};

export const ERROR_CATALOGUE: ErrorCatalogue = {
  INVALID_INPUT: {
    gateway: 'ARGS_INVALID',
    operations: 'INVALID_INPUT',
    httpStatus: 422,
    retryable: false,
    meaning: 'The arguments do not fit the tool. Nothing was sent to the upstream.',
    next: 'Correct the arguments that the details list; the details carry the signature.',
    variants: {
      unparsable: { httpStatus: 400, meaning: 'The body is not JSON in UTF-8, or is nested too deep.' },
      oversized: { httpStatus: 413, meaning: 'The body is larger than this gateway takes.' },
      path: {
        gateway: 'PATH_INVALID',
        meaning: 'The browse path is malformed.',
        next: 'Start again from `/`.',
      },
      view: {
        gateway: 'VIEW_FAILED',
        meaning: 'The handle or the selector cannot be used.',
        next: 'Take a handle and a selector that the result named.',
      },
    },
  },
  SCHEMA_INVALID: {
    gateway: 'SCHEMA_INVALID',
    operations: 'INTERNAL',
    httpStatus: 500,
    retryable: false,
    meaning: "The upstream's own schema cannot be used, so its tool cannot be called safely.",
    next: 'Use another tool; the operator sees the reason in `toolgate catalog report`.',
  },
  TOOL_NOT_FOUND: {
    gateway: 'HYDRATE_FAILED',
    operations: 'NOT_FOUND',
    httpStatus: 404,
    retryable: false,
    meaning: 'No tool that this caller may see has that id.',
    next: 'Browse again: the catalog may have changed.',
    variants: {
      path: { gateway: 'PATH_NOT_FOUND', meaning: 'Nothing is at that path.' },
      view: { gateway: 'VIEW_FAILED', meaning: 'No such artifact for this caller.' },
      resource: { gateway: 'RESOURCE_NOT_FOUND', meaning: 'No such resource for this caller.' },
      prompt: { gateway: 'PROMPT_NOT_FOUND', meaning: 'No such prompt for this caller.' },
    },
  },
  WRONG_OPERATION_TYPE: {
    gateway: 'ARGS_INVALID',
    operations: 'INVALID_OPERATION_TYPE',
    httpStatus: 400,
    retryable: false,
    meaning: 'A stream was called like a single result, or the other way round.',
    next: 'Use the verb that fits the operation type.',
  },
  AUTHENTICATION_REQUIRED: {
    gateway: 'AUTH_REQUIRED',
    operations: 'FORBIDDEN',
    httpStatus: 401,
    retryable: false,
    meaning: 'The caller is not known.',
    next: 'Send a valid bearer token.',
  },
  AUTHORIZATION_DENIED: {
    gateway: 'PERMISSION_DENIED',
    operations: 'FORBIDDEN',
    httpStatus: 403,
    retryable: false,
    meaning: 'The caller may not do this.',
    next: 'Ask the operator for the scope that the message names.',
    variants: { policy: { gateway: 'POLICY_DENIED', meaning: 'A policy of this gateway refused the call.' } },
  },
  APPROVAL_REQUIRED: {
    gateway: 'APPROVAL_REQUIRED',
    operations: 'APPROVAL_REQUIRED',
    httpStatus: 202,
    retryable: false,
    meaning: 'A person must approve the call first.',
    next: 'Wait for the approval, then send the same call again.',
  },
  RATE_LIMITED: {
    gateway: 'RATE_LIMITED',
    operations: 'RATE_LIMITED',
    httpStatus: 429,
    retryable: true,
    meaning: 'Too many calls.',
    next: 'Wait for the time that the error names.',
  },
  DEADLINE_EXCEEDED: {
    gateway: 'UPSTREAM_TIMEOUT',
    operations: 'TIMEOUT',
    httpStatus: 504,
    retryable: true,
    meaning: 'The call took longer than its deadline allows.',
    next: 'Send it again, with a later deadline if the tool is slow; a write may have happened.',
    variants: { cancelled: { retryable: false, meaning: 'The caller cancelled the call.' } },
  },
  UPSTREAM_UNAVAILABLE: {
    gateway: 'UPSTREAM_UNAVAILABLE',
    operations: 'UPSTREAM_UNAVAILABLE',
    httpStatus: 503,
    retryable: true,
    meaning: 'The upstream is not reachable, or went away during the call.',
    next: 'Send it again: the gateway is reconnecting.',
  },
  UPSTREAM_AUTH_FAILED: {
    gateway: 'AUTH_FAILED',
    operations: 'UPSTREAM_AUTH_FAILED',
    httpStatus: 502,
    retryable: false,
    meaning: "The upstream refused the gateway's credentials.",
    next: 'The operator must give this upstream valid credentials.',
  },
  UPSTREAM_FAILURE: {
    gateway: 'UPSTREAM_ERROR',
    operations: 'UPSTREAM_FAILURE',
    httpStatus: 502,
    retryable: false,
    meaning: 'The upstream answered with an error of its own.',
    next: 'Read what the tool says, and change the call.',
    variants: { tool: { operations: 'MCP_TOOL_ERROR', meaning: 'The tool ran and reported an error.' } },
  },
  PRECONDITION_FAILED: {
    gateway: 'PRECONDITION_FAILED',
    operations: 'PRECONDITION_FAILED',
    httpStatus: 412,
    retryable: false,
    meaning: 'The state that the call relies on does not hold.',
    next: 'Read the state again, then decide.',
  },
  CONFLICT: {
    gateway: 'CONFLICT',
    operations: 'CONFLICT',
    httpStatus: 409,
    retryable: true,
    meaning: 'Another call holds the same key or resource.',
    next: 'Wait for the other call, then send this one again.',
    variants: {
      other_arguments: {
        retryable: false,
        meaning: 'The idempotency key was used before, with other arguments.',
        next: 'Use a new key for a new call.',
      },
      unknown: {
        retryable: false,
        meaning: 'An earlier call with this key may have had its effect and may not: nobody can know.',
        next: 'Look at the state of the world. The operator settles the call with `toolgate calls settle`.',
      },
    },
  },
  RESOURCE_EXHAUSTED: {
    gateway: 'RESOURCE_EXHAUSTED',
    operations: 'RESOURCE_EXHAUSTED',
    httpStatus: 507,
    retryable: false,
    meaning: 'A limit of size or storage is reached.',
    next: 'Ask for less.',
  },
  TOOL_QUARANTINED: {
    gateway: 'TOOL_QUARANTINED',
    operations: 'TOOL_QUARANTINED',
    httpStatus: 423,
    retryable: false,
    meaning: 'The tool changed or misbehaved and waits for a person to release it.',
    next: 'Use another tool, or ask the operator to release this one.',
  },
  TOOL_DEPRECATED: {
    gateway: 'TOOL_DEPRECATED',
    operations: 'TOOL_DEPRECATED',
    httpStatus: 410,
    retryable: false,
    meaning: 'The tool is past its removal date.',
    next: 'Use the successor that the message names.',
  },
  COMPOSITE_PARTIAL_FAILURE: {
    gateway: 'COMPOSITE_PARTIAL_FAILURE',
    operations: 'COMPOSITE_PARTIAL_FAILURE',
    httpStatus: 502,
    retryable: false,
    meaning: 'A step of a composite tool failed, and the earlier steps were compensated.',
    next: 'Read which step failed.',
  },
  RETRY_EXHAUSTED: {
    gateway: 'RETRY_EXHAUSTED',
    operations: 'RETRY_EXHAUSTED',
    httpStatus: 502,
    retryable: false,
    meaning: 'The gateway tried as often as it may.',
    next: 'Wait before you try again.',
  },
  INTERNAL_TOOL_ERROR: {
    gateway: 'UPSTREAM_ERROR',
    operations: 'INTERNAL',
    httpStatus: 500,
    retryable: false,
    meaning:
      'The tool broke its contract, or the gateway has a bug. The log holds the cause under the trace id.',
    next: 'Report it with the trace id.',
  },
};

/** The forms of a code under its circumstances. */
export function describeError(code: ErrorCode, variant?: string): ErrorDescription {
  const { variants, ...forms } = ERROR_CATALOGUE[code];
  const other: Readonly<Record<string, Partial<ErrorDescription>>> = variants ?? {};
  return { ...forms, ...(variant === undefined ? undefined : other[variant]) };
}
