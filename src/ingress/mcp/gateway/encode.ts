import type { CallToolResult } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../../base/json/json.ts';
import type { BrowseAnswer } from '../../../contract/browse.ts';
import type {
  CallError,
  DryRunReport,
  Outcome,
  Provenance,
  ResultView,
} from '../../../contract/call/outcome.ts';
import type { View } from '../../../contract/call/view.ts';
import { describeError } from '../../../contract/errors/catalogue.ts';
import type { ChoiceCard } from '../../../contract/tool/card.ts';
import { TIMEOUT_MS } from '../../../contract/tool/timeout-class.ts';

/** The key of the envelope in `_meta`, which models do not read. */
export const ENVELOPE_KEY = 'toolgate/envelope';

type Content = CallToolResult['content'];

/** Encodes a neutral outcome for this surface. */
export function encodeOutcome(outcome: Outcome): CallToolResult {
  switch (outcome.status) {
    case 'ok':
      return encodeView(outcome.view, metaOf(outcome));
    case 'dry_run':
      return jsonResult(encodeDryRun(outcome.report));
    case 'pending':
      return encodeError(
        { code: 'APPROVAL_REQUIRED', variant: undefined, retryable: false, message: outcome.ticket.message },
        { ticket: outcome.ticket },
      );
    case 'failed':
      // A model can do more with the tool's own error than with ours.
      if (outcome.view) return { ...encodeView(outcome.view, metaOf(outcome)), isError: true };
      return encodeError(outcome.error, { trace_id: outcome.traceId });
  }
}

/** Some clients show a whole answer to the model, so the envelope repeats nothing that is elsewhere in it. */
function envelopeOf(outcome: Outcome): Record<string, unknown> {
  const { callId, traceId, timing } = outcome;
  const provenance = 'provenance' in outcome ? outcome.provenance : undefined;
  return {
    call_id: callId,
    trace_id: traceId,
    duration_ms: timing.durationMs,
    ...(provenance && { provenance: encodeProvenance(provenance) }),
  };
}

/** The upstream's own metadata, and our envelope beside it. */
function metaOf(outcome: Extract<Outcome, { status: 'ok' | 'failed' }>): Record<string, unknown> {
  return { ...outcome.meta, [ENVELOPE_KEY]: envelopeOf(outcome) };
}

function encodeDryRun(report: DryRunReport): Record<string, unknown> {
  const { hints, impact, cost, timeoutClass, quotaRemaining, inputSchema } = report;
  const { readOnly, destructive, idempotent, openWorld } = hints;
  return {
    dry_run: true,
    tool_id: report.toolId,
    upstream_name: report.upstreamName,
    args_valid: report.areArgsValid,
    annotations: {
      ...(readOnly !== undefined && { readOnlyHint: readOnly }),
      ...(destructive !== undefined && { destructiveHint: destructive }),
      ...(idempotent !== undefined && { idempotentHint: idempotent }),
      ...(openWorld !== undefined && { openWorldHint: openWorld }),
      verified: false,
    },
    mutation: report.mutation,
    predicted_side_effects: report.sideEffects,
    estimated_impact: {
      effect: impact.effect,
      declared: impact.isDeclared,
      verified_afterwards: impact.isVerifiedAfterwards,
      compensated_if_wrong: impact.isCompensatedIfWrong,
    },
    ...(Object.keys(cost).length > 0 && { estimated_cost: cost }),
    idempotency_key: report.idempotencyKey,
    approval: report.needsApproval ? 'required' : 'not_required',
    timeout: { class: timeoutClass, max_ms: TIMEOUT_MS[timeoutClass] },
    ...(quotaRemaining.length > 0 && {
      quota_left: quotaRemaining.map(({ scope, perMinute, perSession }) => ({
        scope,
        ...(perMinute !== undefined && { per_minute: perMinute }),
        ...(perSession !== undefined && { per_session: perSession }),
      })),
    }),
    checks: report.checks,
    ...(inputSchema !== undefined && { input_schema: inputSchema }),
  };
}

function encodeProvenance(provenance: Provenance): Record<string, unknown> {
  const { toolId, version, source, executedAt, replayOf, argRepairs } = provenance;
  return {
    tool_id: toolId,
    ...(version !== undefined && { version }),
    source,
    executed_at: executedAt,
    ...(source === 'cache' && { cache_hit: true }),
    ...(replayOf !== undefined && { replay_of: replayOf }),
    ...(argRepairs && { arg_repairs: argRepairs }),
  };
}

function encodeView(view: ResultView, _meta: Record<string, unknown>): CallToolResult {
  if (view.kind === 'whole') {
    return {
      content: view.content as Content,
      ...(view.structured !== undefined && { structuredContent: asObject(view.structured) }),
      _meta,
    };
  }
  const handles = view.artifacts.map(
    ({ handle, mediaType, bytes, selectors }) =>
      `${handle} ${mediaType} ${bytes} bytes: ${selectors.join(', ')}`,
  );
  const text = [view.summary, 'Stored in full; read more with tool_view:', ...handles].join('\n');
  const { facts, artifacts } = view;
  const artifactFacts = artifacts.map(({ handle, mediaType, bytes }) => ({ handle, mediaType, bytes }));
  return {
    content: [{ type: 'text', text }, ...(view.content as Content)],
    // Some clients show this to a model beside the text, so everything that only programs need is in the envelope.
    structuredContent: { facts, artifacts: artifactFacts },
    _meta,
  };
}

/** The protocol requires structured content to be an object. */
function asObject(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? { ...value } : { output: value };
}

/** Encodes an error for this surface, as text and as structured content. */
export function encodeError(error: CallError, extra: Readonly<Record<string, unknown>> = {}): CallToolResult {
  const { code, variant, message, retryable, details, retryAfterMs } = error;
  const body = {
    error: describeError(code, variant).gateway,
    message,
    path: typeof details?.path === 'string' ? details.path : '',
    retryable,
    details: { ...details, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }), ...extra },
  };
  return { ...jsonResult(body), isError: true };
}

export function encodeBrowse({ cards, text, unavailable, groups }: BrowseAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: {
      cards: cards.map(encodeCard),
      ...(groups.length > 0 && { groups: groups.map((group) => ({ ...group })) }),
      ...(unavailable.length > 0 && { unavailable: unavailable.map((status) => ({ ...status })) }),
    },
  };
}

/** The fields of a card in the order of the surface's specification. */
function encodeCard(card: ChoiceCard): Record<string, unknown> {
  const { id, name, description, tags, kind, namespace, hasSchema, score, costHint, hasSideEffects, safety } =
    card;
  return {
    id,
    name,
    description,
    tags,
    kind,
    namespace,
    has_schema: hasSchema,
    ...(score !== undefined && { score }),
    cost_hint: costHint,
    side_effects: hasSideEffects,
    safety,
  };
}

export function encodeViewResult(handle: string, view: View): CallToolResult {
  if (view.kind === 'binary') return { content: [view.part] as Content };
  const { text, totals, next } = view.selection;
  const counts = Object.entries(totals).map(([unit, count]) => `${count} ${unit}`);
  const footer = `(${counts.join(', ')} in total${next ? `; next: ${JSON.stringify(next)}` : '; this is the end'})`;
  return {
    content: [{ type: 'text', text: `${text}\n${footer}` }],
    structuredContent: { handle, media_type: view.mediaType, totals, ...(next && { next }) },
  };
}

function jsonResult(body: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body };
}
