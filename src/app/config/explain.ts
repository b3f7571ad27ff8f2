import { isJsonObject } from '../../base/json/json.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import type { Config } from './load.ts';
import { maskValue } from './secret-mask.ts';

export interface ExplainedKey {
  readonly key: string;
  readonly value: unknown;
  readonly origin: 'file' | 'default';
}

/** Lists every key with its value and its origin. References are shown unresolved, so that no secret is printed. */
export function explainConfig({
  settings,
  rawSettings,
}: Pick<Config, 'settings' | 'rawSettings'>): ExplainedKey[] {
  const rows: ExplainedKey[] = [];
  const rules = makeRuleSet({ keys: settings.redaction.keys });
  const visit = (value: unknown, raw: unknown, path: readonly string[]): void => {
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [name, member] of Object.entries(value))
        visit(member, isJsonObject(raw) ? raw[name] : undefined, [...path, name]);
      return;
    }
    rows.push({
      key: path.join('.'),
      value: maskValue(path, raw !== undefined ? raw : value, rules),
      origin: raw !== undefined ? 'file' : 'default',
    });
  };
  visit(settings, rawSettings, []);
  return rows;
}
