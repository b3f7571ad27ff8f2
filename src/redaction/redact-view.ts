import type { JsonObject } from '../base/json/json.ts';
import type { ResultView } from '../contract/call/outcome.ts';
import { makeRedactor, redactParts } from './redact-part.ts';
import type { RuleSet } from './rule-set.ts';

/**
 * Redacts the view that the model receives. The result itself was redacted before, but removing invisible characters
 * afterwards may have joined the parts of a secret.
 */
export async function redactView(view: ResultView, rules: RuleSet): Promise<ResultView> {
  const redactor = makeRedactor(rules);
  const content = await redactParts(view.content, redactor);
  if (view.kind === 'whole') {
    const { structured } = view;
    return {
      kind: 'whole',
      content,
      ...(structured !== undefined && { structured: await redactor.redactStructured(structured) }),
    };
  }
  const facts = (await redactor.redactStructured(view.facts)) as JsonObject;
  return { ...view, content, facts, summary: await redactor.redactText(view.summary) };
}
