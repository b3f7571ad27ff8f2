import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { isPlaceholder } from './placeholder.ts';

const VALUE = `(["']?)(?<secret>[^\\s"'$<>][^\\s"'<>]{0,127})\\1(?=[\\s"';|&)<]|$)`;
const FORMS: Readonly<Record<string, RegExp>> = {
  ' -u ': new RegExp(` -u +(?=["']?[^\\s:"'$]{1,64}:)["']?[^\\s:"'$]{1,64}:${VALUE}`, 'dy'),
  ' --user': new RegExp(` --user[ =]+(?=["']?[^\\s:"'$]{1,64}:)["']?[^\\s:"'$]{1,64}:${VALUE}`, 'dy'),
  sshpass: new RegExp(`sshpass +-p *${VALUE}`, 'dy'),
  mysql: new RegExp(`mysql(?:dump|admin|import|show)?(?= )[^\\n|;&]{0,120}? -p${VALUE}`, 'dy'),
  'pass:': new RegExp(`pass:${VALUE}`, 'dy'),
};
// The text that must precede a keyword: `-u` has other meanings in other commands, and sentences contain `pass:`.
const COMMANDS: Readonly<Record<string, RegExp>> = {
  ' -u ': /\b(?:curl|wget|http)\b/,
  ' --user': /\b(?:curl|wget|http)\b/,
  'pass:': /-pass(?:in|out)?[ =]["']?$/,
};

const MAX_COMMAND_LENGTH = 245;

/** Passwords in unnamed arguments: `curl -u user:…`, `sshpass -p …`, `mysql -p…`, `-passin pass:…`. */
export const commandPassword: RedactionRule = {
  name: 'command-password',
  keywords: Object.keys(FORMS),
  isContextual: true,
  find({ text, at }) {
    for (const [keyword, form] of Object.entries(FORMS)) {
      if (!text.startsWith(keyword, at)) continue;
      if (COMMANDS[keyword]?.test(readLineBefore(text, at)) === false) continue;
      form.lastIndex = at;
      const [start, end] = form.exec(text)?.indices?.groups?.secret ?? [0, 0];
      const secret = text.slice(start, end);
      // User and group ids: `docker run -u 1000:1000`.
      if (secret === '' || isPlaceholder(secret) || /^\d{1,6}$/.test(secret)) continue;
      return [{ start, end, rule: this.name }];
    }
    return NO_SPANS;
  },
};

/** Reads the part of the line before an index. */
function readLineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_COMMAND_LENGTH), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}
