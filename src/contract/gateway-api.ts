import type { Affordances } from './affordances.ts';
import type { BrowseAnswer, BrowseRequest } from './browse.ts';
import type { CallRequest } from './call/call-request.ts';
import type { Outcome } from './call/outcome.ts';
import type { Principal } from './call/principal.ts';
import type { View } from './call/view.ts';

/** What a surface may ask of the house. */
export interface GatewayApi {
  browse(principal: Principal, request: BrowseRequest, sessionId?: string): Promise<BrowseAnswer>;
  affordances(principal: Principal, objective: string, budget: number): Promise<Affordances>;
  invoke(arrival: CallRequest): Promise<Outcome>;
  view(principal: Principal, handle: unknown, selector: unknown, sessionId?: string): Promise<View>;
}
