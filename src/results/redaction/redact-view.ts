import type { ContentPart } from '../../contract/content.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ResultView } from '../../contract/outcome.ts';
import { redact } from './redact.ts';
import { redactJson } from './redact-json.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * What a model gets to see, without secrets. The result was redacted before; taking hidden characters out of it may have
 * put a secret together that they held apart.
 */
export function redactView(view: ResultView, rules: RuleSet): ResultView {
  const content = view.content.map((part) => redactPart(part, rules));
  if (view.kind === 'whole') {
    const { structured } = view;
    return {
      kind: 'whole',
      content,
      ...(structured !== undefined && { structured: redactJson(structured, rules).value }),
    };
  }
  const facts = redactJson(view.facts, rules).value as JsonObject;
  return { ...view, content, facts, summary: redact(view.summary, rules).text };
}

/** Pictures and sound are left as they are: there is much of them, and no text in them. */
function redactPart(part: ContentPart, rules: RuleSet): ContentPart {
  if (part.type === 'image' || part.type === 'audio') return part;
  if (part.type === 'resource' && part.resource.text === undefined) return part;
  return redactJson(part, rules).value as ContentPart;
}
