import { expect, it } from 'vitest';
import { describeTool } from './describe.ts';

it('maps the fields of a tool', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
  const outputSchema = { type: 'object' };
  expect(
    describeTool({
      name: 'send',
      title: 'Send it',
      description: 'Sends.',
      inputSchema,
      outputSchema,
      annotations: { title: 'Other', readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      _meta: { version: '1.2.0', tags: ['mail'] },
      icons: [],
    }),
  ).toEqual({
    name: 'send',
    title: 'Send it',
    description: 'Sends.',
    inputSchema,
    outputSchema,
    version: '1.2.0',
    tags: ['mail'],
    hints: { readOnly: false, destructive: true, openWorld: true },
  });
});

it('uses the title of the annotations where the tool has none', () => {
  expect(describeTool({ name: 'a', annotations: { title: 'A' } })).toMatchObject({ title: 'A' });
});

it('ignores a hint that is not a boolean', () => {
  expect(describeTool({ name: 'a', annotations: { readOnlyHint: 'yes', idempotentHint: 1 } }).hints).toEqual(
    {},
  );
});

it.each([null, undefined, 'tool', 7, [], { annotations: 'x', _meta: [] }])(
  'maps %j to a descriptor without a name',
  (tool) => {
    expect(describeTool(tool)).toMatchObject({ name: undefined, hints: {} });
  },
);
