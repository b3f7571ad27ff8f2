import type { ErrorCode } from './codes.ts';
import type { ErrorCatalogue, ErrorDescription, VariantDescription } from './description.ts';

export { ERROR_CODES, type ErrorCode } from './codes.ts';
export type { ErrorDescription } from './description.ts';

/**
 * The one error catalogue. Each code has a form for every surface, a meaning and a next step; a code without one of
 * them does not compile. A test compares `docs/reference/errors.md` with this table.
 */
export const ERROR_CATALOGUE: ErrorCatalogue = {
  INVALID_INPUT: {
    gateway: 'ARGS_INVALID',
    operations: 'INVALID_INPUT',
    httpStatus: 422,
    retryable: false,
    meaning: 'The arguments do not match the input schema of the tool. Nothing was sent to the upstream.',
    next: 'Correct the arguments that the details list, then call again. The details contain the signature of the tool.',
    variants: {
      unparsable: {
        httpStatus: 400,
        meaning:
          'The message is not valid JSON in UTF-8, is nested too deeply, has too many members, or has too many messages in one batch.',
        next: 'Send one valid JSON message with less nesting and fewer members.',
      },
      oversized: {
        httpStatus: 413,
        meaning: 'The message is larger than the limit of this gateway.',
        next: 'Send a smaller message, or ask the operator to raise `server.maxBodyBytes`.',
      },
      upstream: {
        meaning: 'The upstream rejected the arguments, although they match the input schema of the tool.',
        next: 'Read `details.upstream_message`, correct the arguments, then call again. Where `details.effect` is `unknown`, check the target system first.',
      },
      path: {
        gateway: 'PATH_INVALID',
        meaning: 'The browse path is malformed.',
        next: 'Browse again from `/`.',
      },
      view: {
        gateway: 'VIEW_FAILED',
        meaning: 'The handle or the selector is not valid.',
        next: 'Use a handle and a selector that the result listed.',
      },
    },
  },
  SCHEMA_INVALID: {
    gateway: 'SCHEMA_INVALID',
    operations: 'INTERNAL',
    httpStatus: 500,
    retryable: false,
    meaning: 'The gateway refused this tool, or cannot use its schema. Nothing was sent to the upstream.',
    next: 'Use another tool. The operator finds the reason with `toolgate catalog report`.',
  },
  TOOL_NOT_FOUND: {
    gateway: 'HYDRATE_FAILED',
    operations: 'NOT_FOUND',
    httpStatus: 404,
    retryable: false,
    meaning: 'No tool that this caller may see has that id.',
    next: 'Browse for the tool: the catalog may have changed.',
    variants: {
      upstream: {
        meaning: 'The upstream no longer has this tool.',
        next: 'Browse for the tool again: the gateway is reading the list of the upstream anew.',
      },
      path: {
        gateway: 'PATH_NOT_FOUND',
        meaning: 'Nothing that this caller may see is at that path.',
        next: 'Browse from `/` to find an existing path.',
      },
      view: {
        gateway: 'VIEW_FAILED',
        meaning: 'This caller has no artifact with that handle, or the artifact has expired.',
        next: 'Check the handle. If the artifact has expired, read the data again with a read-only tool.',
      },
      resource: {
        gateway: 'RESOURCE_NOT_FOUND',
        meaning: 'No resource that this caller may see has that address.',
        next: 'List the resources again: they may have changed.',
      },
      prompt: {
        gateway: 'PROMPT_NOT_FOUND',
        meaning: 'No prompt that this caller may see has that name.',
        next: 'List the prompts again: they may have changed.',
      },
    },
  },
  WRONG_OPERATION_TYPE: {
    gateway: 'ARGS_INVALID',
    operations: 'INVALID_OPERATION_TYPE',
    httpStatus: 400,
    retryable: false,
    meaning: 'A streaming tool was called for a single result, or a tool with a single result for a stream.',
    next: 'Use the call method that fits the operation type of the tool.',
  },
  AUTHENTICATION_REQUIRED: {
    gateway: 'AUTH_REQUIRED',
    operations: 'FORBIDDEN',
    httpStatus: 401,
    retryable: false,
    meaning: 'The caller is not authenticated.',
    next: 'Send a valid bearer token.',
  },
  AUTHORIZATION_DENIED: {
    gateway: 'PERMISSION_DENIED',
    operations: 'FORBIDDEN',
    httpStatus: 403,
    retryable: false,
    meaning: 'The caller lacks a required scope, or the upstream denied access to the gateway.',
    next: 'Ask the operator for the scope or the access that the message names.',
    variants: {
      policy: {
        gateway: 'POLICY_DENIED',
        meaning: 'A policy of this gateway denied the call.',
        next: 'Do not repeat the call. If it should be allowed, ask the operator to change the policy.',
      },
    },
  },
  APPROVAL_REQUIRED: {
    gateway: 'APPROVAL_REQUIRED',
    operations: 'APPROVAL_REQUIRED',
    httpStatus: 202,
    retryable: false,
    meaning: 'A person must approve the call before it is made.',
    next: 'Wait for the approval, then send the same call again.',
  },
  RATE_LIMITED: {
    gateway: 'RATE_LIMITED',
    operations: 'RATE_LIMITED',
    httpStatus: 429,
    retryable: true,
    meaning: 'A rate limit of the gateway or of the upstream is reached.',
    next: 'Wait for the time that the error states, then call again. A limit per session lasts until the session ends.',
  },
  DEADLINE_EXCEEDED: {
    gateway: 'UPSTREAM_TIMEOUT',
    operations: 'TIMEOUT',
    httpStatus: 504,
    retryable: true,
    meaning: 'The call did not finish before its deadline. A write may have been executed.',
    next: 'For a slow tool, set a later deadline. Where `details.effect` is `unknown`, check the target system before you repeat the write.',
  },
  CANCELLED: {
    gateway: 'CANCELLED',
    operations: 'CANCELLED',
    httpStatus: 499,
    retryable: false,
    meaning: 'The caller cancelled the call, or disconnected. A write may have been executed.',
    next: 'Where `details.effect` is `unknown`, check the target system before you repeat the write.',
    variants: {
      shutdown: {
        httpStatus: 503,
        retryable: true,
        meaning: 'The gateway stopped before the call ended. A write may have been executed.',
        next: 'Call again. Where `details.effect` is `unknown`, check the target system first.',
      },
    },
  },
  UPSTREAM_UNAVAILABLE: {
    gateway: 'UPSTREAM_UNAVAILABLE',
    operations: 'UPSTREAM_UNAVAILABLE',
    httpStatus: 503,
    retryable: true,
    meaning:
      'The upstream is not reachable, its circuit is open, its queue is full, or it disconnected during the call.',
    next: 'Call again later: the gateway reconnects by itself. Where `details.effect` is `unknown`, check the target system first.',
    variants: {
      store: {
        meaning: 'The store of the gateway is not available, so this call was not sent to the upstream.',
        next: 'Send the call again later with the same idempotency key. A new key could repeat the effect of an earlier call.',
      },
    },
  },
  UPSTREAM_AUTH_FAILED: {
    gateway: 'AUTH_FAILED',
    operations: 'UPSTREAM_AUTH_FAILED',
    httpStatus: 502,
    retryable: false,
    meaning: "The upstream rejected the gateway's credentials.",
    next: 'Ask the operator to configure valid credentials for this upstream.',
  },
  UPSTREAM_FAILURE: {
    gateway: 'UPSTREAM_ERROR',
    operations: 'UPSTREAM_FAILURE',
    httpStatus: 502,
    retryable: false,
    meaning: 'The upstream answered with a protocol error or with an invalid response.',
    next: 'Check the tool and its arguments. The operator finds the cause in the log under the trace id.',
    variants: {
      tool: {
        operations: 'MCP_TOOL_ERROR',
        meaning: 'The tool ran and reported an error.',
        next: 'Read the error in the result, then change the call.',
      },
    },
  },
  PRECONDITION_FAILED: {
    gateway: 'PRECONDITION_FAILED',
    operations: 'PRECONDITION_FAILED',
    httpStatus: 412,
    retryable: false,
    meaning: 'A condition of the call does not hold. The call was not executed.',
    next: 'Establish the condition that the message names, then call again.',
  },
  CONFLICT: {
    gateway: 'CONFLICT',
    operations: 'CONFLICT',
    httpStatus: 409,
    retryable: true,
    meaning: 'Another call holds the same idempotency key.',
    next: 'Wait until that call has finished, then call again with the same key.',
    variants: {
      other_arguments: {
        retryable: false,
        meaning: 'The idempotency key was used before with other arguments.',
        next: 'Use a new key for a new call.',
      },
      unknown: {
        retryable: false,
        meaning: 'The outcome of an earlier call with this idempotency key is unknown.',
        next: 'Check the target system, then run `toolgate calls resolve <id>`.',
      },
    },
  },
  RESOURCE_EXHAUSTED: {
    gateway: 'RESOURCE_EXHAUSTED',
    operations: 'RESOURCE_EXHAUSTED',
    httpStatus: 507,
    retryable: false,
    meaning: 'A limit of size or storage is reached.',
    next: 'Request less data.',
  },
  TOOL_QUARANTINED: {
    gateway: 'TOOL_QUARANTINED',
    operations: 'TOOL_QUARANTINED',
    httpStatus: 423,
    retryable: false,
    meaning: 'The tool is in quarantine because it changed or misbehaved.',
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
    next: 'Read in the details which step failed, then correct the call.',
  },
  RETRY_EXHAUSTED: {
    gateway: 'RETRY_EXHAUSTED',
    operations: 'RETRY_EXHAUSTED',
    httpStatus: 502,
    retryable: false,
    meaning: 'Every attempt that the retry settings allow has failed.',
    next: 'Wait before you call again. Where `details.effect` is `unknown`, check the target system first.',
  },
  INTERNAL_TOOL_ERROR: {
    gateway: 'UPSTREAM_ERROR',
    operations: 'INTERNAL',
    httpStatus: 500,
    retryable: false,
    meaning:
      'The tool broke its contract, or the gateway has a bug. The log holds the cause under the trace id.',
    next: 'Report the trace id to the operator.',
  },
};

/** Describes a code, or one of its variants, in a new object. An unknown variant counts as none. */
export function describeError(code: ErrorCode, variant?: string): ErrorDescription {
  const { variants, ...description } = ERROR_CATALOGUE[code];
  const ofVariants: Readonly<Record<string, VariantDescription>> = variants ?? {};
  return { ...description, ...(variant === undefined ? undefined : ofVariants[variant]) };
}
