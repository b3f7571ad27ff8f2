import { describe, expect, it } from 'vitest';
import { ToolKeys, type ToolNames } from './tool-keys.ts';

const READ: ToolNames = { id: 'files:read@1.0.0', namespace: 'files', name: 'read', upstreamName: 'read' };
const REPAIRED: ToolNames = {
  id: 'files:my_tool#12345678',
  namespace: 'files',
  name: 'my_tool',
  upstreamName: 'my tool',
};

describe('ToolKeys', () => {
  it('orders the keys of a tool from the least to the most specific', () => {
    const keys = [
      'files:read@1.0.0',
      'files:read',
      '*:read',
      'files:*',
      '*',
      'other:*',
      'files:r*',
      'files:read_all',
    ];
    expect(new ToolKeys(keys).matching(READ)).toEqual([
      '*',
      '*:read',
      'files:*',
      'files:r*',
      'files:read',
      'files:read@1.0.0',
    ]);
  });

  it('puts the later of two equally specific patterns last', () => {
    expect(new ToolKeys(['files:*', '*les:re*']).matching(READ)).toEqual(['files:*', '*les:re*']);
    expect(new ToolKeys(['*les:re*', 'files:*']).matching(READ)).toEqual(['*les:re*', 'files:*']);
  });

  it.each(['files:my tool', 'files:my_tool', 'files:my_tool#12345678', 'files:my *', '*#12345678'])(
    'finds a tool with a repaired name under %s',
    (key) => {
      expect(new ToolKeys([key]).matching(REPAIRED)).toEqual([key]);
    },
  );

  it('finds nothing under the names of inherited members', () => {
    const tool = { ...READ, name: '__proto__', upstreamName: 'constructor' };
    expect(new ToolKeys([]).matching(tool)).toEqual([]);
  });

  it('searches the patterns once for each tool', () => {
    const keys = new ToolKeys(['files:*']);
    expect(keys.matching(READ)).toBe(keys.matching(READ));
  });
});
