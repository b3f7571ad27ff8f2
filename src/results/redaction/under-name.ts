import { AUTHORIZATION, credentialIn } from './authorization.ts';
import { COOKIE, cookiesIn } from './cookie.ts';
import { NAMED_SECRET } from './named-secret.ts';
import { NOTHING, type Span } from './rule.ts';
import type { RuleSet } from './rule-set.ts';
import { isSecretValue } from './secret-value.ts';
import { kindOfName } from './sensitive-name.ts';

/** What the name of a member says of the text in it: the same that it would say in `name: "text"`. */
export function spansUnderName(text: string, name: string, { keys, off }: RuleSet): readonly Span[] {
  if (/authorization$/i.test(name)) return off.has(AUTHORIZATION) ? NOTHING : credentialIn(text, 0);
  if (/cookie$/i.test(name)) return off.has(COOKIE) ? NOTHING : cookiesIn(text, 0);
  const kind = off.has(NAMED_SECRET) ? undefined : kindOfName(name, keys);
  if (kind === undefined) return NOTHING;
  const isSecret = isSecretValue(text, { kind, standing: 'alone', isPhrase: /phrase/i.test(name) });
  return isSecret ? [{ start: 0, end: text.length, rule: NAMED_SECRET }] : NOTHING;
}
