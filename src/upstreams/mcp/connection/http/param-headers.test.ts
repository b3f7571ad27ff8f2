import { describe, expect, it } from 'vitest';
import { ParamHeaders } from './param-headers.ts';

describe('ParamHeaders', () => {
  const headers = new ParamHeaders();
  headers.update([
    {
      name: 'deploy',
      inputSchema: {
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          level: { type: 'integer', 'x-mcp-header': 'Level' },
          force: { type: 'boolean', 'x-mcp-header': 'Force' },
          target: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
          ratio: { type: 'number', 'x-mcp-header': 'Ratio' },
          broken: { type: 'string', 'x-mcp-header': 'not a token' },
          plain: { type: 'string' },
        },
      },
    },
    'not a tool',
  ]);

  it('repeats the marked arguments, at any depth', () => {
    const args = {
      region: 'Zürich',
      level: 3,
      force: false,
      target: { zone: 'b' },
      ratio: 1.5,
      broken: 'x',
      plain: 'y',
    };
    expect(headers.headersFor('deploy', args)).toEqual({
      'mcp-param-region': '=?base64?WsO8cmljaA==?=',
      'mcp-param-level': '3',
      'mcp-param-force': 'false',
      'mcp-param-zone': 'b',
    });
  });

  it('leaves out arguments that are missing, null or of another type', () => {
    expect(headers.headersFor('deploy', { region: null, level: { a: 1 } })).toEqual({});
    expect(headers.headersFor('other', { region: 'x' })).toEqual({});
  });
});
