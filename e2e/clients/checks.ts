import type { ModelApi } from './model-api.ts';
import { META_TOOLS } from './scripted-model.ts';

export interface Check {
  readonly what: string;
  readonly passed: boolean;
}

/** What a user expects of the whole task, checked on the literal requests of the client to the model's API. */
export function checkRequests({ inputs }: Pick<ModelApi, 'inputs'>, lines: readonly string[]): Check[] {
  const offered = inputs[0]?.tools ?? [];
  const [cards = '', summary = '', ...views] = inputs.at(-1)?.results ?? [];
  return [
    {
      what: 'the first request offers the three meta-tools',
      passed: META_TOOLS.every((tool) => offered.includes(tool)),
    },
    { what: 'tool_browse shows a card of the tool', passed: cards.includes('read_text_file') },
    {
      what: 'tool_execute shows a summary with a handle, and not the file',
      passed: summary.includes('art_') && !summary.includes(lines.at(-1)!),
    },
    {
      what: `tool_view shows all ${lines.length} lines in order`,
      passed: isReadInOrder(views.map(viewedText).join(''), lines),
    },
    {
      what: 'no result is structured content in place of text',
      passed: [cards, summary, ...views].every((text) => text !== '' && !text.includes('{"handle"')),
    },
  ];
}

/** Without the footer that holds the next selector: a page may end in the middle of a line. */
function viewedText(view: string): string {
  return view.replace(/\n\([^\n]* in total[^\n]*\)\s*$/, '');
}

function isReadInOrder(text: string, lines: readonly string[]): boolean {
  let from = 0;
  return lines.every((line) => {
    const at = text.indexOf(line, from);
    from = at + line.length;
    return at !== -1;
  });
}
