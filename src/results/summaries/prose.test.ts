import { describe, expect, it } from 'vitest';
import { summarizeText } from './text.ts';

describe('summarizeText for prose', () => {
  it('shows the start', () => {
    const text = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n');
    expect(summarizeText(text).facts).toEqual({ format: 'text', lines: 20 });
    expect(summarizeText(text).text(60).split('\n')).toEqual([
      'text of 20 lines',
      'line 0',
      'line 1',
      'line 2',
      'line 3',
      'line 4',
      'line 5',
    ]);
  });

  it('shows the headings with their lines', () => {
    const text = `# Title\n\nSome words.\n\n## One\n\n${'x\n'.repeat(50)}## Two\n#nothing\n`;
    const { text: summary, facts } = summarizeText(text);
    expect(facts).toMatchObject({ headings: 3 });
    expect(summary(98).split('\n')).toEqual([
      'text of 59 lines',
      '# Title',
      'Some words.',
      '## One',
      'x',
      'x',
      'x',
      'x',
      'x',
      'x',
      'headings:',
      '1: # Title',
      '5: ## One',
      '57: ## Two',
    ]);
  });

  it('cuts very long lines, in linear time', () => {
    const began = performance.now();
    const { text, facts } = summarizeText('x'.repeat(50_000_000));
    expect(text(500).length).toBeLessThan(300);
    expect(facts).toEqual({ format: 'text', characters: 50_000_000 });
    expect(summarizeText(`${'12:00:00 error '.repeat(1_000)}\n`.repeat(400)).text(2_000).length).toBeLessThan(
      3_000,
    );
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
