import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/client/stdio';
import { plainLine } from '../../../base/text/plain-text.ts';

const MAX_LENGTH = 160;
const SHORTEST_SECRET = 4;
const INHERITED = new Set(DEFAULT_INHERITED_ENV_VARS);

/** What a child said last before it gave up: the operator's first question. What it was given in confidence is left out. */
export function stderrTail(printed: string, env: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(env)
    .filter(([name, value]) => !INHERITED.has(name) && value.length >= SHORTEST_SECRET)
    .map(([, value]) => value);
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '(hidden)'), printed);
  const lines = shown.split('\n').filter((line) => line.trim() !== '');
  return plainLine(lines.findLast(isExplanation) ?? lines.at(-1) ?? '', MAX_LENGTH);
}

/** Stack frames, members of a printed error and the runtime's version come after the line that tells what went wrong. */
function isExplanation(line: string): boolean {
  return !/^(\s|[})\]]|Node\.js v\d)/.test(line);
}
