import { NOTHING, type RedactionRule } from '../rule.ts';
import { isPlaceholder } from './placeholder.ts';

const VALUE = `(["']?)(?<secret>[^\\s"'$<>][^\\s"'<>]{0,127})\\1(?=[\\s"';|&)<]|$)`;
const FORMS: Readonly<Record<string, RegExp>> = {
  ' -u ': new RegExp(` -u +(?=["']?[^\\s:"'$]{1,64}:)["']?[^\\s:"'$]{1,64}:${VALUE}`, 'dy'),
  ' --user': new RegExp(` --user[ =]+(?=["']?[^\\s:"'$]{1,64}:)["']?[^\\s:"'$]{1,64}:${VALUE}`, 'dy'),
  sshpass: new RegExp(`sshpass +-p *${VALUE}`, 'dy'),
  mysql: new RegExp(`mysql(?:dump|admin|import|show)?(?= )[^\\n|;&]{0,120}? -p${VALUE}`, 'dy'),
  'pass:': new RegExp(`pass:${VALUE}`, 'dy'),
};
// `-u` means other things elsewhere, and `pass:` stands in sentences.
const COMMAND: Readonly<Record<string, RegExp>> = {
  ' -u ': /\b(?:curl|wget|http)\b/,
  ' --user': /\b(?:curl|wget|http)\b/,
  'pass:': /-pass(?:in|out)?[ =]["']?$/,
};

const LONGEST_COMMAND = 245;

/** Passwords that commands take without a name: `curl -u user:…`, `sshpass -p …`, `mysql -p…`, `-passin pass:…`. */
export const commandPassword: RedactionRule = {
  name: 'command-password',
  opens: Object.keys(FORMS),
  general: true,
  find({ text, at }) {
    for (const [opening, form] of Object.entries(FORMS)) {
      if (!text.startsWith(opening, at)) continue;
      if (COMMAND[opening]?.test(lineBefore(text, at)) === false) continue;
      form.lastIndex = at;
      const [start, end] = form.exec(text)?.indices?.groups?.secret ?? [0, 0];
      const secret = text.slice(start, end);
      // `docker run -u 1000:1000`
      if (secret === '' || isPlaceholder(secret) || /^\d{1,6}$/.test(secret)) continue;
      return [{ start, end, rule: this.name }];
    }
    return NOTHING;
  },
};

/** What of a line stands before a place of it. */
function lineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - LONGEST_COMMAND), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}
