import type { JsonObject } from '../../base/json/json.ts';

/** One block of a tool's result. Other members (annotations, `_meta`) are passed on unchanged. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string; readonly [extra: string]: unknown }
  | {
      readonly type: 'image' | 'audio';
      readonly data: string;
      readonly mimeType: string;
      readonly [extra: string]: unknown;
    }
  | {
      readonly type: 'resource';
      readonly resource: EmbeddedResource;
      readonly [extra: string]: unknown;
    }
  | { readonly type: 'resource_link'; readonly uri: string; readonly [extra: string]: unknown };

export interface EmbeddedResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly [extra: string]: unknown;
}

/** An error that the tool itself reported. The contract lists the codes that it may use. */
export interface ReportedError {
  readonly code?: string;
  /** The status with which the service behind the tool answered. */
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
}

/** What a tool returned. With `isError` the tool ran and reported an error itself. */
export interface ToolResult {
  readonly content: readonly ContentPart[];
  readonly structured?: unknown;
  /** The upstream's own `_meta`, for clients and never for a model. */
  readonly meta?: JsonObject;
  /** The reported error as data; only with `isError`. */
  readonly error?: ReportedError;
  readonly isError: boolean;
}
