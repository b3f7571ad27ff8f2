import { plainLine, plainText } from '../../base/text/plain-text.ts';
import type { Progress } from '../../contract/call/call-request.ts';
import { redact } from '../../redaction/redact.ts';
import type { RuleSet } from '../../redaction/rule-set.ts';

/** What a caller hears of a call under way: numbers, and one plain line without secrets. */
export function readableProgress(
  tell: (progress: Progress) => void,
  secrets: RuleSet,
): (progress: Progress) => void {
  return ({ progress, total, message }) => {
    if (!Number.isFinite(progress)) return;
    tell({
      progress,
      ...(Number.isFinite(total) && { total: total! }),
      // A secret may be hidden by what a reader does not see, and must not be cut before it is found.
      ...(typeof message === 'string' && { message: plainLine(redact(plainText(message), secrets).text) }),
    });
  };
}
