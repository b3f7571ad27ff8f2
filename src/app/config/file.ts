import { readFileSync } from 'node:fs';
import { type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser';
import { parse as parseYaml } from 'yaml';
import { isJsonObject } from '../../base/json/json.ts';
import { ConfigError } from './config-error.ts';

export function isYaml(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

/** Reads a config file of Toolgate or of an MCP client: YAML by its extension, else JSON with comments. */
export function readConfigFile(file: string): Record<string, unknown> {
  const text = readText(file).replace(/^\ufeff/, '');
  const value = isYaml(file) ? readYaml(file, text) : readJsonc(file, text);
  if (value === null || value === undefined) return {};
  if (!isJsonObject(value))
    throw new ConfigError(file, ['the file must be an object with keys, not a list or a single value']);
  // In YAML, a key whose members are all commented out has the value null.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? ` (${thrown.code})` : '';
    throw new ConfigError(file, [`the file cannot be read${code}`]);
  }
}

function readYaml(file: string, text: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: 100 });
  } catch (thrown) {
    const [reason] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
    throw new ConfigError(file, [`invalid YAML: ${reason}`]);
  }
}

function readJsonc(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const value: unknown = parseJsonc(text, errors, options);
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new ConfigError(file, [`invalid JSON: ${printParseErrorCode(first.error)} in line ${line}`]);
  }
  return value;
}
