import { NO_SPANS, type Span } from '../../rule.ts';
import type { RuleSet } from '../../rule-set.ts';
import { AUTHORIZATION, findCredential } from '../authorization.ts';
import { COOKIE, findCookies } from '../cookie.ts';
import { NAMED_SECRET } from './named-secret.ts';
import { isSecretValue } from './secret-value.ts';

const HEADER = /(?:authorization|cookie)$/i;

/** Whether the value of a member, header or column with this name can be secret. */
export function isSecretName(name: string, { classifyName }: RuleSet): boolean {
  return HEADER.test(name) || classifyName(name) !== undefined;
}

/** Finds the secrets in the whole value of a member: the same as in the text `name: "value"`. */
export function findMemberSpans(text: string, name: string, { classifyName, off }: RuleSet): readonly Span[] {
  if (HEADER.test(name)) {
    if (/cookie$/i.test(name)) return off.has(COOKIE) ? NO_SPANS : findCookies(text, 0);
    return off.has(AUTHORIZATION) ? NO_SPANS : findCredential(text, 0);
  }
  const kind = off.has(NAMED_SECRET) ? undefined : classifyName(name);
  if (kind === undefined) return NO_SPANS;
  const isSecret = isSecretValue(text, { kind, context: 'member', isPhrase: /phrase/i.test(name) });
  return isSecret ? [{ start: 0, end: text.length, rule: NAMED_SECRET }] : NO_SPANS;
}
