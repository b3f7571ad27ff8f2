import { cutLine, lengthOf, linesWithin } from './line-budget.ts';
import type { Summary } from './summary.ts';
import type { TextExtent } from './text-extent.ts';

interface Language {
  readonly name: string;
  /** Lines that hardly any other language or prose has. */
  readonly tells: RegExp;
  readonly declares: RegExp;
}

/** In order: a language stands before those whose lines it shares. */
const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript or JavaScript',
    tells:
      /^\s*(?:import\s.*\bfrom\s+['"]|export\s+(?:default|const|function|class|interface|type|async)\b|(?:const|let|var)\s+[\w${[][^=]*=|(?:async\s+)?function\s*\*?\s*\w*\(|.*=>\s*[{(]?\s*$|\}\)?;$)/,
    declares:
      /^(?:export\s+)?(?:default\s+)?(?:abstract\s+|async\s+|declare\s+)*(?:function|class|interface|type|enum|const|let|namespace)\s+\w/,
  },
  {
    name: 'Python',
    tells:
      /^\s*(?:def\s+\w+\(.*|class\s+\w+.*:\s*|from\s+[\w.]+\s+import\s.*|import\s+[\w.]+(?:\s+as\s+\w+)?|@\w[\w.]*(?:\(.*)?|(?:el)?if\s.+:|for\s.+\sin\s.+:|return\b.*|self\.\w+\s*=.*)$/,
    declares: /^\s*(?:async\s+)?(?:def|class)\s+\w/,
  },
  {
    name: 'Go',
    tells: /^(?:package\s+\w+$|func\s|import\s+\(|type\s+\w+\s+(?:struct|interface)\b|\s+\w+.*:=\s)/,
    declares: /^(?:func|type|var|const)\s+[\w(]/,
  },
  {
    name: 'Rust',
    tells:
      /^\s*(?:use\s+[\w:]+|pub\s+(?:fn|struct|enum|mod|trait|use)\b|fn\s+\w+|impl\b.*\{|let\s+(?:mut\s+)?\w+.*;|#\[\w+)/,
    declares: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+)*(?:fn|struct|enum|trait|impl|mod)\b/,
  },
  {
    name: 'C or C++',
    tells:
      /^\s*(?:#\s*(?:include|define|ifdef|ifndef|endif)\b|(?:static|const|unsigned|void|int|char|struct|namespace|template)\b.*[;{(]\s*$)/,
    declares: /^(?!\s|#)(?:[\w:<>*&~]+\s+)+[\w:*&~]+\s*(?:\(|\{)/,
  },
  {
    name: 'Java or C#',
    tells:
      /^\s*(?:(?:public|private|protected|internal)\s+.*[;{(]\s*$|(?:import|using|package|namespace)\s+[\w.]+\s*[;{]|@(?:Override|Test)\b)/,
    declares:
      /^\s*(?:public|private|protected|internal)\s+.*[({]\s*$|^\s*(?:class|interface|enum|record)\s+\w/,
  },
  {
    name: 'SQL',
    tells:
      /^\s*(?:SELECT|INSERT\s+INTO|CREATE\s+(?:TABLE|INDEX|VIEW|FUNCTION)|ALTER\s+TABLE|UPDATE\s+\w+\s+SET|DELETE\s+FROM|FROM|WHERE|LEFT\s+JOIN|JOIN|GROUP\s+BY|ORDER\s+BY)\b/i,
    declares: /^\s*(?:CREATE|ALTER)\s+\w+/i,
  },
  {
    name: 'shell',
    tells:
      /^\s*(?:#!.*\b(?:ba|z)?sh\b|set\s+-[eux]+|(?:if|while)\s+\[.*|fi|done|esac|export\s+\w+=|\w+\(\)\s*\{|echo\s)/,
    declares: /^\s*(?:function\s+)?[\w-]+\s*\(\)\s*\{/,
  },
];
const LOOKED_AT = 200;
const MIN_SHARE = 0.15;
const MAX_LINE_LENGTH = 300;
const MAX_SHOWN = 100;
/** Of a longer program the beginning is outlined. */
const MAX_OUTLINED = 20_000;

/** The language that enough lines of a text tell of; a guess. */
export function languageOf(lines: readonly string[]): Language | undefined {
  const looked = lines
    .slice(0, LOOKED_AT)
    .filter((line) => line.trim() !== '' && line.length <= MAX_LINE_LENGTH);
  const scores = LANGUAGES.map((language) => ({
    language,
    score: looked.filter((line) => language.tells.test(line)).length,
  }));
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score >= Math.max(3, looked.length * MIN_SHARE) ? best.language : undefined;
}

/** The language, and what is declared in which line. */
export function summarizeCode({ lines, facts, describe }: TextExtent, { name, declares }: Language): Summary {
  const outlined = lines.slice(0, MAX_OUTLINED);
  const declarations = outlined.flatMap((line, index) =>
    line.length <= MAX_LINE_LENGTH && declares.test(line)
      ? [`${index + 1}: ${cutLine(line, MAX_SHOWN)}`]
      : [],
  );
  return {
    facts: { format: 'code', language: name, ...facts, declarations: declarations.length },
    text: (room) => {
      const title = `code (${name}) of ${describe}, ${declarations.length} declarations`;
      const rest = declarations.length > 0 ? declarations : outlined.map((line) => cutLine(line, MAX_SHOWN));
      return [title, ...linesWithin(rest, room - lengthOf([title]))].join('\n');
    },
  };
}
