import { describe, expect, it } from 'vitest';
import { withSection } from './docs-page.ts';

const PAGE = `Before.

<!-- measured: a begin -->
old
<!-- measured: a end -->

Between.

<!-- measured: b begin -->
<!-- measured: b end -->
`;

describe('withSection', () => {
  it('replaces the section and nothing else', () => {
    expect(withSection(PAGE, 'a', 'new $& text')).toBe(PAGE.replace('old', () => '\nnew $& text\n'));
  });

  it('is idempotent', () => {
    const once = withSection(PAGE, 'b', '| x |');
    expect(withSection(once, 'b', '| x |')).toBe(once);
  });

  it('refuses a section without markers', () => {
    expect(() => withSection(PAGE, 'c', '')).toThrow('no markers for the section "c"');
  });
});
