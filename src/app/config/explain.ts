import { isJsonObject } from '../../base/json/json.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import type { Config } from './load.ts';
import { masked } from './secret-mask.ts';

export interface ExplainedKey {
  readonly key: string;
  readonly value: unknown;
  readonly origin: 'file' | 'default';
}

/** Every key of the config with its value and where that came from. References are shown, never what they lead to. */
export function explainConfig({ settings, written }: Pick<Config, 'settings' | 'written'>): ExplainedKey[] {
  const rows: ExplainedKey[] = [];
  const rules = makeRuleSet({ keys: settings.redaction.keys });
  const visit = (value: unknown, source: unknown, path: readonly string[]): void => {
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [name, member] of Object.entries(value))
        visit(member, isJsonObject(source) ? source[name] : undefined, [...path, name]);
      return;
    }
    const shown = source !== undefined ? source : value;
    rows.push({
      key: path.join('.'),
      value: masked(path, shown, rules),
      origin: source !== undefined ? 'file' : 'default',
    });
  };
  visit(settings, written, []);
  return rows;
}
