import { cutLine, lengthOf, takeLines } from './line-budget.ts';
import type { Summary } from './summary.ts';
import type { TextExtent } from './text-extent.ts';

interface Language {
  readonly name: string;
  /** Matches lines that hardly occur in other languages or in prose. */
  readonly typicalLine: RegExp;
  readonly declaration: RegExp;
}

/** In order of precedence among languages with similar lines. */
const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript or JavaScript',
    typicalLine:
      /^\s*(?:import\s.*\bfrom\s+['"]|export\s+(?:default|const|function|class|interface|type|async)\b|(?:const|let|var)\s+[\w${[][^=]*=|(?:async\s+)?function\s*\*?\s*\w*\(|.*=>\s*[{(]?\s*$|\}\)?;$)/,
    declaration:
      /^(?:export\s+)?(?:default\s+)?(?:abstract\s+|async\s+|declare\s+)*(?:function|class|interface|type|enum|const|let|namespace)\s+\w/,
  },
  {
    name: 'Python',
    typicalLine:
      /^\s*(?:def\s+\w+\(.*|class\s+\w+.*:\s*|from\s+[\w.]+\s+import\s.*|import\s+[\w.]+(?:\s+as\s+\w+)?|@\w[\w.]*(?:\(.*)?|(?:el)?if\s.+:|for\s.+\sin\s.+:|return\b.*|self\.\w+\s*=.*)$/,
    declaration: /^\s*(?:async\s+)?(?:def|class)\s+\w/,
  },
  {
    name: 'Go',
    typicalLine: /^(?:package\s+\w+$|func\s|import\s+\(|type\s+\w+\s+(?:struct|interface)\b|\s+\w+.*:=\s)/,
    declaration: /^(?:func|type|var|const)\s+[\w(]/,
  },
  {
    name: 'Rust',
    typicalLine:
      /^\s*(?:use\s+[\w:]+|pub\s+(?:fn|struct|enum|mod|trait|use)\b|fn\s+\w+|impl\b.*\{|let\s+(?:mut\s+)?\w+.*;|#\[\w+)/,
    declaration: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+)*(?:fn|struct|enum|trait|impl|mod)\b/,
  },
  {
    name: 'C or C++',
    typicalLine:
      /^\s*(?:#\s*(?:include|define|ifdef|ifndef|endif)\b|(?:static|const|unsigned|void|int|char|struct|namespace|template)\b.*[;{(]\s*$)/,
    declaration: /^(?!\s|#)(?:[\w:<>*&~]+\s+)+[\w:*&~]+\s*(?:\(|\{)/,
  },
  {
    name: 'Java or C#',
    typicalLine:
      /^\s*(?:(?:public|private|protected|internal)\s+.*[;{(]\s*$|(?:import|using|package|namespace)\s+[\w.]+\s*[;{]|@(?:Override|Test)\b)/,
    declaration:
      /^\s*(?:public|private|protected|internal)\s+.*[({]\s*$|^\s*(?:class|interface|enum|record)\s+\w/,
  },
  {
    name: 'SQL',
    typicalLine:
      /^\s*(?:SELECT|INSERT\s+INTO|CREATE\s+(?:TABLE|INDEX|VIEW|FUNCTION)|ALTER\s+TABLE|UPDATE\s+\w+\s+SET|DELETE\s+FROM|FROM|WHERE|LEFT\s+JOIN|JOIN|GROUP\s+BY|ORDER\s+BY)\b/i,
    declaration: /^\s*(?:CREATE|ALTER)\s+\w+/i,
  },
  {
    name: 'shell',
    typicalLine:
      /^\s*(?:#!.*\b(?:ba|z)?sh\b|set\s+-[eux]+|(?:if|while)\s+\[.*|fi|done|esac|export\s+\w+=|\w+\(\)\s*\{|echo\s)/,
    declaration: /^\s*(?:function\s+)?[\w-]+\s*\(\)\s*\{/,
  },
];
const SAMPLE_LINES = 200;
const MIN_SHARE = 0.15;
const MAX_LINE_LENGTH = 300;
const MAX_DECLARATION_LENGTH = 100;
/** Declarations are searched in the first lines only. */
const MAX_LINES = 20_000;

/** Guesses the programming language by the share of typical lines; undefined for prose. */
export function detectLanguage(lines: readonly string[]): Language | undefined {
  const sample = lines
    .slice(0, SAMPLE_LINES)
    .filter((line) => line.trim() !== '' && line.length <= MAX_LINE_LENGTH);
  const scores = LANGUAGES.map((language) => ({
    language,
    score: sample.filter((line) => language.typicalLine.test(line)).length,
  }));
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score >= Math.max(3, sample.length * MIN_SHARE) ? best.language : undefined;
}

/** Names the language, and the declarations with their line numbers. */
export function summarizeCode({ lines, facts, label }: TextExtent, { name, declaration }: Language): Summary {
  const read = lines.slice(0, MAX_LINES);
  const declarations = read.flatMap((line, index) =>
    line.length <= MAX_LINE_LENGTH && declaration.test(line)
      ? [`${index + 1}: ${cutLine(line, MAX_DECLARATION_LENGTH)}`]
      : [],
  );
  return {
    facts: { format: 'code', language: name, ...facts, declarations: declarations.length },
    text: (maxLength) => {
      const title = `code (${name}) of ${label}, ${declarations.length} declarations`;
      const rest =
        declarations.length > 0 ? declarations : read.map((line) => cutLine(line, MAX_DECLARATION_LENGTH));
      return [title, ...takeLines(rest, maxLength - lengthOf([title]))].join('\n');
    },
  };
}
