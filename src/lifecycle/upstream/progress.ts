import { plainLine, plainText } from '../../base/text/plain-text.ts';
import type { Progress } from '../../contract/call/call-request.ts';
import { redact } from '../../redaction/redact.ts';
import type { RuleSet } from '../../redaction/rule-set.ts';

/** Passes on progress of a call in flight: finite numbers, and one plain line without secrets. */
export function sanitizeProgress(
  report: (progress: Progress) => void,
  secrets: RuleSet,
): (progress: Progress) => void {
  return ({ progress, total, message }) => {
    if (!Number.isFinite(progress)) return;
    report({
      progress,
      ...(Number.isFinite(total) && { total: total! }),
      // Invisible characters may hide a secret, and a cut may split it: redact after the first and before the second.
      ...(typeof message === 'string' && { message: plainLine(redact(plainText(message), secrets).text) }),
    });
  };
}
