import type { Affordances } from './affordances.ts';
import type { BrowseAnswer, BrowseRequest } from './browse.ts';
import type { CallHandles, CallRequest } from './call/call-request.ts';
import type { Caller } from './call/caller.ts';
import type { Outcome } from './call/outcome.ts';
import type { View } from './call/view.ts';
import type { UpstreamStatus } from './upstream-state.ts';

/** What a surface may ask of the gateway. Every answer is limited to what its caller may see. */
export interface GatewayApi {
  browse(caller: Caller, request: BrowseRequest): Promise<BrowseAnswer>;
  affordances(caller: Caller, request: AffordancesRequest): Promise<Affordances>;
  invoke(request: CallRequest, handles?: CallHandles): Promise<Outcome>;
  view(caller: Caller, request: ViewRequest): Promise<View>;
  /** The upstreams that the caller may know of, with the number of tools that it may see. */
  upstreams(caller: Caller): readonly UpstreamStatus[];
}

export interface AffordancesRequest {
  readonly objective: string;
  /** Tokens. */
  readonly budget: number;
}

export interface ViewRequest {
  readonly handle: unknown;
  readonly selector: unknown;
}
