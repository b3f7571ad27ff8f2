import { isJsonObject } from '../contract/json.ts';
import type { Config } from './config.ts';

export interface ExplainedKey {
  readonly key: string;
  readonly value: unknown;
  readonly origin: 'file' | 'default';
}

// A value under one of these names may be a secret that somebody wrote into the file.
const MAY_BE_SECRET = /(^|\.)(env|headers)\.[^.]+$|(^|\.)postgres$/;

/** Every key of the config with its value and where that came from. References are shown, never what they lead to. */
export function explainConfig({ settings, written }: Config): ExplainedKey[] {
  const rows: ExplainedKey[] = [];
  const visit = (value: unknown, source: unknown, key: string): void => {
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [name, member] of Object.entries(value)) {
        visit(member, isJsonObject(source) ? source[name] : undefined, key === '' ? name : `${key}.${name}`);
      }
      return;
    }
    const shown = source !== undefined ? source : value;
    rows.push({ key, value: masked(key, shown), origin: source !== undefined ? 'file' : 'default' });
  };
  visit(settings, written, '');
  return rows;
}

function masked(key: string, value: unknown): unknown {
  if (!MAY_BE_SECRET.test(key) || typeof value !== 'string') return value;
  return /^\$\{[^}]+\}$/.test(value) ? value : '(hidden)';
}
