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

// Client configs hold secrets in plain text; nobody else on the machine needs to read a copy of them.
const OWNER_ONLY = 0o600;

/** Writes the plan beside the file and then over it: at no moment is there half a config. */
export function writeImport({ target, upstreams }: ImportPlan): { readonly backup: string | undefined } {
  const exists = existsSync(target);
  const file = exists ? realpathSync(target) : target;
  const added = upstreams.filter(({ action }) => action === 'add');
  const text = exists ? withServers(file, added) : newConfig(file, added);
  const backup = exists ? backUp(file) : undefined;
  const beside = `${file}.${process.pid}.new`;
  writeFileSync(beside, text, { mode: OWNER_ONLY });
  renameSync(beside, file);
  return { backup };
}

function backUp(file: string): string {
  const backup = `${file}.${new Date().toISOString().replaceAll(':', '-')}.bak`;
  copyFileSync(file, backup);
  chmodSync(backup, OWNER_ONLY);
  return backup;
}

function newConfig(file: string, added: readonly PlannedUpstream[]): string {
  return isYaml(file) ? inYaml('', added) : inJson('{}\n', added);
}

/** What a person wrote, comments included, with the servers added. */
function withServers(file: string, added: readonly PlannedUpstream[]): string {
  // Whoever broke it since the plan was made must not lose it to us.
  readConfigFile(file);
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  return isYaml(file) ? inYaml(text, added) : inJson(text, added);
}

function inYaml(text: string, added: readonly PlannedUpstream[]): string {
  const document = parseDocument(text);
  const isEmpty = document.has('mcpServers') && !isMap(document.get('mcpServers', true));
  if (isEmpty) document.delete('mcpServers');
  for (const { name, entry } of added) document.setIn(['mcpServers', name], document.createNode(entry));
  return document.toString();
}

function inJson(text: string, added: readonly PlannedUpstream[]): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  let json = text.trim() === '' ? '{}\n' : text;
  for (const { name, entry } of added)
    json = applyEdits(json, modify(json, ['mcpServers', name], entry, { formattingOptions }));
  return json.endsWith('\n') ? json : `${json}\n`;
}
