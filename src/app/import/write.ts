import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { applyEdits, modify } from 'jsonc-parser';
import { isMap, parseDocument } from 'yaml';
import { isYaml, readConfigFile } from '../config/file.ts';
import type { ImportPlan, PlannedUpstream } from './plan.ts';

// Client configs hold secrets in plain text, so other users of the machine must not read a copy.
const OWNER_ONLY = 0o600;

/** Writes a temporary file and renames it over the target, so that the target is never half written. */
export function writeImport({ target, upstreams }: ImportPlan): { readonly backup: string | undefined } {
  const exists = existsSync(target);
  const file = exists ? realpathSync(target) : target;
  const added = upstreams.filter(({ action }) => action === 'add');
  const text = exists ? addServers(file, added) : newConfig(file, added);
  const backup = exists ? backUp(file) : undefined;
  const temporary = `${file}.${process.pid}.new`;
  writeFileSync(temporary, text, { mode: OWNER_ONLY });
  renameSync(temporary, file);
  return { backup };
}

function backUp(file: string): string {
  const backup = `${file}.${new Date().toISOString().replaceAll(':', '-')}.bak`;
  copyFileSync(file, backup);
  chmodSync(backup, OWNER_ONLY);
  return backup;
}

function newConfig(file: string, added: readonly PlannedUpstream[]): string {
  return isYaml(file) ? addToYaml('', added) : addToJson('{}\n', added);
}

/** Adds the servers to the existing text and keeps its comments. */
function addServers(file: string, added: readonly PlannedUpstream[]): string {
  // Fails if the file became invalid since the plan was made, so that it is not overwritten.
  readConfigFile(file);
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  return isYaml(file) ? addToYaml(text, added) : addToJson(text, added);
}

function addToYaml(text: string, added: readonly PlannedUpstream[]): string {
  const document = parseDocument(text);
  const isEmpty = document.has('mcpServers') && !isMap(document.get('mcpServers', true));
  if (isEmpty) document.delete('mcpServers');
  for (const { name, entry } of added) document.setIn(['mcpServers', name], document.createNode(entry));
  return document.toString();
}

function addToJson(text: string, added: readonly PlannedUpstream[]): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  let json = text.trim() === '' ? '{}\n' : text;
  for (const { name, entry } of added)
    json = applyEdits(json, modify(json, ['mcpServers', name], entry, { formattingOptions }));
  return json.endsWith('\n') ? json : `${json}\n`;
}
