/** What a stranger may build on. Listed by hand; a test pins the list. */

export { ConfigError } from './app/config/config-error.ts';
export { type Config, type ConfigRequest, loadConfig } from './app/config/load.ts';
export { type Gateway, type GatewayOptions, openGateway } from './app/gateway.ts';
export { type Logger, makeLogger } from './app/logger.ts';
export { type ServingOptions, serveHttp, serveStdio } from './app/serve.ts';
export { countTokens } from './app/wiring/tokenizer.ts';
export { canonicalJson } from './base/json/canonical-json.ts';
export type { Json, JsonObject } from './base/json/json.ts';
export type { CallHandles, CallRequest, Progress } from './contract/call/call-request.ts';
export { type Caller, createCaller } from './contract/call/caller.ts';
export { deriveIdempotencyKey, type KeyParts } from './contract/call/idempotency-key.ts';
export type { CallError, Outcome, ResultView } from './contract/call/outcome.ts';
export { PHASES, type Phase } from './contract/call/phase.ts';
export { LOCAL_USER, type Principal } from './contract/call/principal.ts';
export type { Receipt } from './contract/call/receipt.ts';
export type { ContentPart, ToolResult } from './contract/call/tool-result.ts';
export { traceFrom } from './contract/call/trace.ts';
export { describeError, ERROR_CATALOGUE, ERROR_CODES, type ErrorCode } from './contract/errors/catalogue.ts';
export { Fault } from './contract/errors/fault.ts';
export type { ChoiceCard } from './contract/tool/card.ts';
export type { DeclaredTerms } from './contract/tool/descriptor.ts';
export { type SelectionValidation, validateSelection } from './contract/tool/selection.ts';
export { SELECTION_FORMS, type SelectionForm, selectionSchema } from './contract/tool/selection-schema.ts';
export type { ToolContract, ToolHints } from './contract/tool/tool.ts';
export { CatalogError, formatToolId, parseToolId, type ToolIdParts } from './contract/tool/tool-id.ts';
export type { UpstreamState, UpstreamStatus } from './contract/upstream-state.ts';
export type { NativeContext, NativeTool } from './upstreams/native/upstream.ts';
