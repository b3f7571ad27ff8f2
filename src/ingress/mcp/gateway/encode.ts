import { isJsonObject } from '../../../base/json/json.ts';
import type { BrowseAnswer } from '../../../contract/browse.ts';
import { CALL_KEYS } from '../../../contract/call/meta-keys.ts';
import type { Outcome, Provenance, ResultView } from '../../../contract/call/outcome.ts';
import type { View } from '../../../contract/call/view.ts';
import { describeError } from '../../../contract/errors/catalogue.ts';
import type { ChoiceCard } from '../../../contract/tool/card.ts';
import type { Answer } from './answer.ts';
import { encodeDryRun } from './encode-dry-run.ts';
import { encodeError, errorBody } from './encode-error.ts';

/** The key of the envelope in `_meta`, which models do not read. */
export const ENVELOPE_KEY = 'toolgate/envelope';

type Content = Answer['content'];
type Body = Readonly<Record<string, unknown>>;

/** Encodes a neutral outcome for this surface. */
export function encodeOutcome(outcome: Outcome): Answer {
  switch (outcome.status) {
    case 'ok':
      return encodeView(outcome.view, metaOf(outcome));
    case 'dry_run':
      return encodeDryRun(outcome.report);
    case 'pending':
      return encodeError(
        { code: 'APPROVAL_REQUIRED', variant: undefined, retryable: false, message: outcome.ticket.message },
        { ticket: outcome.ticket },
      );
    case 'failed':
      // A model can do more with the tool's own error than with ours.
      if (outcome.view) return encodeReportedError(outcome.view, outcome);
      return encodeError(outcome.error, { trace_id: outcome.traceId });
  }
}

type FailedOutcome = Extract<Outcome, { status: 'failed' }>;

/** The tool's own answer for the model, and for programs the code and whether a retry may help. */
function encodeReportedError(view: ResultView, outcome: FailedOutcome): Answer {
  const error = errorBody(outcome.error, { trace_id: outcome.traceId });
  const { structured, ...answer } = encodeView(view, metaOf(outcome));
  if (structured) return { ...answer, structured: { ...error, ...structured }, isError: true };
  return { ...answer, _meta: { ...answer._meta, [CALL_KEYS.structured]: error }, isError: true };
}

/** Some clients show a whole answer to the model, so the envelope repeats nothing that is elsewhere in it. */
function envelopeOf(outcome: Outcome): Body {
  const { callId, traceId, timing } = outcome;
  const provenance = 'provenance' in outcome ? outcome.provenance : undefined;
  return {
    call_id: callId,
    trace_id: traceId,
    duration_ms: timing.durationMs,
    // The only form in which every client gets these: the tool's own answer takes the place of the error.
    ...(outcome.status === 'failed' && {
      error: describeError(outcome.error.code, outcome.error.variant).gateway,
      retryable: outcome.error.retryable,
    }),
    ...(provenance && { provenance: encodeProvenance(provenance) }),
  };
}

/** The upstream's own metadata, and our envelope beside it. */
function metaOf(outcome: Extract<Outcome, { status: 'ok' | 'failed' }>): Record<string, unknown> {
  return { ...outcome.meta, [ENVELOPE_KEY]: envelopeOf(outcome) };
}

function encodeProvenance(provenance: Provenance): Body {
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

/** A result that passes whole keeps its content and its structured content as the upstream sent them. */
function encodeView(view: ResultView, _meta: Record<string, unknown>): Answer {
  if (view.kind === 'whole') {
    return {
      content: view.content as Content,
      ...(view.structured !== undefined && { structuredContent: asObject(view.structured) }),
      _meta,
    };
  }
  const { summary, facts, artifacts } = view;
  const handles = artifacts.map(
    ({ handle, mediaType, bytes, selectors }) =>
      `${handle} ${mediaType} ${bytes} bytes: ${selectors.join(', ')}`,
  );
  const text = [summary, 'Stored in full; read more with tool_view:', ...handles].join('\n');
  return {
    content: [{ type: 'text', text }, ...(view.content as Content)],
    structured: { facts, artifacts },
    _meta,
  };
}

/** The protocol requires structured content to be an object. */
function asObject(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? { ...value } : { output: value };
}

export function encodeBrowse({ cards, text, unavailable, groups }: BrowseAnswer): Answer {
  return {
    content: [{ type: 'text', text }],
    structured: {
      cards: cards.map(encodeCard),
      ...(groups.length > 0 && { groups: groups.map((group) => ({ ...group })) }),
      ...(unavailable.length > 0 && { unavailable: unavailable.map((status) => ({ ...status })) }),
    },
  };
}

/** The fields of a card in the order of the surface's specification. */
function encodeCard(card: ChoiceCard): Body {
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

export function encodeViewResult(handle: string, view: View): Answer {
  const { mediaType } = view;
  if (view.kind === 'binary') {
    return { content: [view.part] as Content, structured: { handle, media_type: mediaType } };
  }
  const { text, totals, next } = view.selection;
  const counts = Object.entries(totals).map(([unit, count]) => `${count} ${unit}`);
  const footer = `(${counts.join(', ')} in total${next ? `; next: ${JSON.stringify(next)}` : '; this is the end'})`;
  return {
    content: [{ type: 'text', text: `${text}\n${footer}` }],
    structured: { handle, media_type: mediaType, totals, ...(next && { next }) },
  };
}
