import { NOTHING, type Span } from '../../rule.ts';
import type { RuleSet } from '../../rule-set.ts';
import { AUTHORIZATION, findCredential } from '../authorization.ts';
import { COOKIE, findCookies } from '../cookie.ts';
import { NAMED_SECRET } from './named-secret.ts';
import { isSecretValue } from './secret-value.ts';

const HEADER = /(?:authorization|cookie)$/i;

/** Whether a name says that there are secrets in what stands under it. */
export function isSecretName(name: string, { kindOf }: RuleSet): boolean {
  return HEADER.test(name) || kindOf(name) !== undefined;
}

/** What the name of a member says of the text in it: the same that it would say in `name: "text"`. */
export function findSpansUnderName(text: string, name: string, { kindOf, off }: RuleSet): readonly Span[] {
  if (HEADER.test(name)) {
    if (/cookie$/i.test(name)) return off.has(COOKIE) ? NOTHING : findCookies(text, 0);
    return off.has(AUTHORIZATION) ? NOTHING : findCredential(text, 0);
  }
  const kind = off.has(NAMED_SECRET) ? undefined : kindOf(name);
  if (kind === undefined) return NOTHING;
  const isSecret = isSecretValue(text, { kind, standing: 'alone', isPhrase: /phrase/i.test(name) });
  return isSecret ? [{ start: 0, end: text.length, rule: NAMED_SECRET }] : NOTHING;
}
