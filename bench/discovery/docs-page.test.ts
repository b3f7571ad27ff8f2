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

describe('a measured section', () => {
  it('takes the place of the old one, and of nothing else', () => {
    expect(withSection(PAGE, 'a', 'new $& text')).toBe(PAGE.replace('old', () => '\nnew $& text\n'));
  });

  it('is the same when written twice', () => {
    const once = withSection(PAGE, 'b', '| x |');
    expect(withSection(once, 'b', '| x |')).toBe(once);
  });

  it('needs its markers', () => {
    expect(() => withSection(PAGE, 'c', '')).toThrow('no place for "c"');
  });
});
