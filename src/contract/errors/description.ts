import type { ErrorCode, ErrorVariants } from './codes.ts';

export interface ErrorDescription {
  /** The error code on the gateway and proxy surfaces. */
  readonly gateway: string;
  /** The error code on the operations surface and over HTTP. */
  readonly operations: string;
  readonly httpStatus: number;
  /** Whether the same call may succeed when it is sent again. It never is for a write whose effect may have happened. */
  readonly retryable: boolean;
  readonly meaning: string;
  /** What the caller does next. */
  readonly next: string;
}

/** A variant means something else than its code, so it has its own meaning and its own next step. */
export type VariantDescription = Pick<ErrorDescription, 'meaning' | 'next'> & Partial<ErrorDescription>;

export type ErrorCatalogue = {
  readonly [Code in ErrorCode]: ErrorDescription &
    (Code extends keyof ErrorVariants
      ? { readonly variants: Readonly<Record<ErrorVariants[Code], VariantDescription>> }
      : { readonly variants?: never });
};
