import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/client/stdio';
import { plainLine } from '../../../base/text/plain-text.ts';

const MAX_LENGTH = 160;
const SHORTEST_SECRET = 4;
const INHERITED = new Set(DEFAULT_INHERITED_ENV_VARS);

/** The line of stderr that explains why a child process failed, without the values of its environment. */
export function stderrTail(stderr: string, env: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(env)
    .filter(([name, value]) => !INHERITED.has(name) && value.length >= SHORTEST_SECRET)
    .map(([, value]) => value);
  const redacted = secrets.reduce((text, secret) => text.replaceAll(secret, '(hidden)'), stderr);
  const lines = redacted.split('\n').filter((line) => line.trim() !== '');
  return plainLine(lines.findLast(isExplanation) ?? lines.at(-1) ?? '', MAX_LENGTH);
}

/** Stack frames, members of a printed error and the version of the runtime follow the line that explains the failure. */
function isExplanation(line: string): boolean {
  return !/^(\s|[})\]]|Node\.js v\d)/.test(line);
}
