import type { JsonObject } from '../base/json/json.ts';
import type { ResultView } from '../contract/call/outcome.ts';
import { redactorBy, redactPart } from './redact-part.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * What a model gets to see, without secrets. The result was redacted before; taking hidden characters out of it may have
 * put a secret together that they held apart.
 */
export async function redactView(view: ResultView, rules: RuleSet): Promise<ResultView> {
  const redactor = redactorBy(rules);
  const content = [];
  for (const part of view.content) content.push(await redactPart(part, redactor));
  if (view.kind === 'whole') {
    const { structured } = view;
    return {
      kind: 'whole',
      content,
      ...(structured !== undefined && { structured: await redactor.structured(structured) }),
    };
  }
  const facts = (await redactor.structured(view.facts)) as JsonObject;
  return { ...view, content, facts, summary: await redactor.text(view.summary) };
}
