import { describe, expect, it } from 'vitest';
import { snapshotOf } from '../../../test/catalogs.ts';
import { runSync } from '../../base/async/cooperative.ts';
import { Ranker } from './ranker.ts';

const NEW = { name: 'read_text_file', description: 'Handles various encodings.' };

function rankerFor(description: string, others: readonly object[] = [NEW]): Ranker {
  const old = { name: 'read_file', description };
  return runSync(Ranker.of(snapshotOf({ files: [old, ...others] } as never).contracts));
}

const order = (ranker: Ranker): string[] =>
  ranker.rank('read the complete contents of a file', 9).map(({ contract }) => contract.name);

const TEXT = 'Read the complete contents of a file as text.';

describe('a tool that calls itself deprecated', () => {
  it.each([
    'DEPRECATED: Use read_text_file instead.',
    'This tool is deprecated, please use `read_text_file`.',
    '[Deprecated] - use the read_text_file',
    'Deprecated in favor of read_text_file.',
    'It is deprecated and replaced by "read_text_file".',
  ])('ranks below the successor that it names: %s', (notice) => {
    expect(order(rankerFor(`${TEXT} ${notice}`))).toEqual(['read_text_file', 'read_file']);
  });

  it.each([
    'DEPRECATED.',
    'DEPRECATED: Use another_tool instead.',
    'DEPRECATED: Use read_file instead.',
    'Finds deprecated calls. Use read_text_file for the rest.',
    'Also reads deprecated formats; see read_text_file.',
  ])('keeps its place where it names no successor: %s', (notice) => {
    expect(order(rankerFor(`${TEXT} ${notice}`))).toEqual(['read_file', 'read_text_file']);
  });

  const ranker = rankerFor(`${TEXT} DEPRECATED: Use read_text_file instead.`);

  it('keeps its score where the caller may not see the successor', () => {
    const maySee = ({ name }: { readonly name: string }): boolean => name === 'read_file';
    const [alone] = ranker.rank('read the complete contents', 9, { maySee });
    const [successor] = ranker.rank('read the complete contents', 9);
    expect(alone!.contract.name).toBe('read_file');
    expect(alone!.score).toBe(successor!.score);
  });

  it('stays listed, with the difference in the explanation of both scores', () => {
    const ranked = ranker.rank('complete contents', 9);
    expect(ranked.map(({ contract }) => contract.name)).toEqual(['read_text_file', 'read_file']);
    for (const { contract, score } of ranked) {
      const explained = ranker.explain('complete contents', contract);
      expect(explained.score).toBe(score);
      const sum = explained.signals.reduce((total, { points }) => total + points, 0);
      expect(sum).toBeCloseTo(score, 3);
      expect(explained.signals.map(({ signal }) => signal)).toContain('deprecation');
    }
  });
});
