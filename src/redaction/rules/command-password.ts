import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { isPlaceholder } from './placeholder.ts';

const VALUE = `(["']?)(?<secret>[^\\s"'$<>-][^\\s"'<>]{0,127})\\1(?=[\\s"';|&)<]|$)`;
/** The arguments between a command and its password. */
const ARGUMENTS = `(?=[ \\t])[^\\n|;&]{0,160}?`;
const USER_AND = `(?=["']?[^\\s:"'$]{1,64}:)["']?[^\\s:"'$]{1,64}:`;

interface Command {
  /** A part of the command that is rare in other text. */
  readonly keyword: string;
  /** The text that must precede the keyword in its line. */
  readonly after?: RegExp;
  /** From the keyword to the password. */
  readonly form: RegExp;
  /** Passwords that the tool generates, where they have the form of a variable name. */
  readonly generated?: RegExp;
}

const withOption = (keyword: string, option: string, after?: RegExp): Command => ({
  keyword,
  ...(after && { after }),
  form: new RegExp(`${keyword.trim()}(?:\\.exe)?${ARGUMENTS}[ \\t]${option}${VALUE}`, 'diy'),
});

const REGISTRIES =
  /(?:^|[\s;&|(])(?:docker|podman|nerdctl|helm registry|oras|crane auth|az|cf|oc|ibmcloud|jf|skopeo) l$/;
const CURL = /\b(?:curl|wget|http)\b/;

/** Where other commands use the same letter, it means something else. */
const COMMANDS: readonly Command[] = [
  withOption('ogin ', '(?:-p|--password)[ =]?', REGISTRIES),
  {
    keyword: 'ogin ',
    after: /(?:^|\s)[A-Za-z]{0,2}\d{1,5} L$/,
    form: new RegExp(`ogin ["']?[^\\s"']{1,64}["']? ${VALUE}`, 'diy'),
  },
  ...[
    'ngo ',
    'ngosh',
    'ngodump',
    'ngorestore',
    'ngoexport',
    'ngoimport',
    'cqlsh',
    'psexec',
    'k-keychain',
    'sshpass',
  ].map((keyword) => withOption(keyword, '-p[ =]?')),
  ...['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mysqlshow', 'riadb', '7z '].map((keyword) =>
    withOption(keyword, '-p'),
  ),
  ...['sqlcmd', 'bcp', 'isql', 'tsql', 'osql', 'ipmitool', 'squitto_pub', 'squitto_sub', 'zip'].map(
    (keyword) => withOption(keyword, '-P[ =]?'),
  ),
  withOption('s-cli', '(?:-a|--pass)[ =]', /redi$/),
  ...['ldapsearch', 'ldapadd', 'ldapmodify', 'ldapdelete', 'ldapwhoami', 'ldappasswd'].map((keyword) =>
    withOption(keyword, '-w[ =]?'),
  ),
  withOption('ssl enc', '-k ', /open$/),
  withOption('smbclient', '-U[ =]?["\']?[^\\s%"\']{1,64}%'),
  withOption('smbmap', '-p[ =]?'),
  withOption('lftp', '-u[ =]?["\']?[^\\s,"\']{1,64},'),
  ...['xfreerdp', 'cmdkey', 'wmic'].map((keyword) => withOption(keyword, '/(?:p|pass|password)[: ]')),
  { keyword: '/user:', after: /\bnet use\b/i, form: new RegExp(`/user:\\S{1,64} ${VALUE}`, 'diy') },
  { keyword: ' -u ', after: CURL, form: new RegExp(` -u +${USER_AND}${VALUE}`, 'dy') },
  { keyword: ' --user', after: CURL, form: new RegExp(` --user[ =]+${USER_AND}${VALUE}`, 'dy') },
  {
    keyword: ' -a ',
    after: /(?:^|[\s;|&])(?:https?|xh)\b/,
    form: new RegExp(` -a +${USER_AND}${VALUE}`, 'dy'),
  },
  // Sentences contain `pass:`, too.
  { keyword: 'pass:', after: /-pass(?:in|out)?[ =]["']?$/, form: new RegExp(`pass:${VALUE}`, 'dy') },
  {
    keyword: 'sqlplus',
    form: /sqlplus(?: -\S{1,8}){0,3} ["']?[\w.$]{1,64}\/(?<secret>[^\s"'@$<>]{1,64})(?=[@"'\s]|$)/dy,
  },
  {
    keyword: 'tmqctl',
    form: new RegExp(`tmqctl (?:add_user|change_password) \\S{1,64} ${VALUE}`, 'dy'),
  },
  {
    keyword: 'htpasswd',
    form: new RegExp(
      `htpasswd -(?=[A-Za-z]{0,5}b)(?:[A-Za-z]{0,5}n[A-Za-z]{0,5}|[A-Za-z]{1,6} \\S{1,200}) \\S{1,64} ${VALUE}`,
      'dy',
    ),
  },
  { keyword: 'snmp-server community', form: new RegExp(`snmp-server community ${VALUE}`, 'diy') },
  // The secret that nodes of Erlang share.
  {
    keyword: '-setcookie',
    form: new RegExp(`-setcookie[ \\t]{1,4}${VALUE}`, 'dy'),
    generated: /^[A-Z]{20}$/,
  },
  // Expect scripts answer a prompt.
  {
    keyword: 'sword:',
    form: /sword:[*$ ]{0,3}["'}][^\n"']{0,40}send(?:line)?(?: --)?[ (]{1,4}["'](?<secret>[^"'\\$\n]{4,64})/dy,
  },
];
/** Commands that read a password from the `echo` before them. */
const READERS = ['sudo -s', 'chpasswd', 'stdin'];
const STDIN_OPTION = /(?:--password-|passwd --)$/;
const ECHOED =
  /echo (?:-n )?(["']?)(?:[\w.-]{1,32}:)?(?<secret>[^\s"'$<>|:][^"'<>|\n]{0,127}?)\1 {0,2}\|(?=[^|\n]{0,120}$)/d;

const MAX_COMMAND_LENGTH = 245;
// Ids of users and groups, as in `docker run -u 1000:1000`, and names of communities that are no secret.
const HARMLESS = /^(?:\d{1,6}|public|private|admin|root|user|test)$/i;

/** Passwords in unnamed arguments: `curl -u user:…`, `docker login -p …`, `mysql -p…`, `echo … | sudo -S`. */
export const commandPassword: RedactionRule = {
  name: 'command-password',
  keywords: [...new Set([...COMMANDS.map(({ keyword }) => keyword), ...READERS])],
  isContextual: true,
  find(input) {
    const { text, at, minStart } = input;
    const head = text.slice(at, at + MAX_KEYWORD_LENGTH).toLowerCase();
    for (const { keyword, after, form, generated } of COMMANDS) {
      if (!head.startsWith(keyword) || after?.test(readLineBefore(text, at)) === false) continue;
      form.lastIndex = at;
      const [start, end] = form.exec(text)?.indices?.groups?.secret ?? [0, 0];
      const secret = text.slice(start, end);
      if (isPassword(secret) || generated?.test(secret)) return [{ start, end, rule: this.name }];
    }
    if (!READERS.some((reader) => head.startsWith(reader))) return NO_SPANS;
    const before = readLineBefore(text, at);
    if (head.startsWith('stdin') && !STDIN_OPTION.test(before)) return NO_SPANS;
    const [start, end] = ECHOED.exec(before)?.indices?.groups?.secret ?? [0, 0];
    const offset = at - before.length;
    if (offset + start < minStart || !isPassword(before.slice(start, end))) return NO_SPANS;
    return [{ start: offset + start, end: offset + end, rule: this.name }];
  },
};

const MAX_KEYWORD_LENGTH = 24;

function isPassword(secret: string): boolean {
  return secret !== '' && !isPlaceholder(secret) && !HARMLESS.test(secret);
}

/** Reads the part of the line before an index. */
function readLineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_COMMAND_LENGTH), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}
