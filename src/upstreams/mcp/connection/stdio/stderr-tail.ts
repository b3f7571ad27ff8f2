import { plainLine } from '../../../../base/text/plain-text.ts';
import { isPublicVariable } from './child-environment.ts';

const MAX_LENGTH = 160;
const SHORTEST_SECRET = 4;

/** Lines of npm that say where, not why: they come before and after the line that explains a failure. */
const NPM_DETAIL = /^npm (?:warn|notice|error (?:code|errno|syscall|path|dest|command|A complete log)\b)/i;
/** A line that begins with the name of an error, or that a logger or a package runner marked as one. */
const ERROR =
  /^(?:[\w.$]*(?:error|exception)\b|npm err(?:or|!)|fatal|panic|\s*[×✗]|\S+: (?:error|fatal))|[\s[=]"?(?:error|fatal)\b/i;

/** The line of stderr that explains why a child process failed, without the secrets of its environment. */
export function stderrTail(stderr: string, env: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(env)
    .filter(([name, value]) => !isPublicVariable(name) && value.length >= SHORTEST_SECRET)
    .map(([, value]) => value);
  const redacted = secrets.reduce((text, secret) => text.replaceAll(secret, '(hidden)'), stderr);
  const lines = redacted.split('\n').filter((line) => line.trim() !== '');
  const explanation = lines.find(isError) ?? lines.findLast(isExplanation) ?? lines.at(-1) ?? '';
  return plainLine(explanation.trim(), MAX_LENGTH);
}

/** Node prints the source line that failed, with a mark below it: it may contain the word and explains nothing. */
function isError(line: string, index: number, lines: readonly string[]): boolean {
  const isSource = /^\s*\^+\s*$/.test(lines[index + 1] ?? '');
  return !isSource && ERROR.test(line) && isExplanation(line);
}

/** Stack frames, members of a printed error and the version of the runtime surround the line that explains the failure. */
function isExplanation(line: string): boolean {
  return !NPM_DETAIL.test(line) && !/^(?:\s(?!\s*[×✗])|[})\]]|Node\.js v\d)/.test(line);
}
