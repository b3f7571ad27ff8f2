import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../base/json/json.ts';
import { SELECTORS } from '../../../results/view.ts';
import { GATEWAY_TOOLS } from './definitions.ts';

const schemaOf = (name: string): JsonObject =>
  GATEWAY_TOOLS.find((tool) => tool.name === name)!.inputSchema as unknown as JsonObject;

function propertiesOf(schema: JsonObject): [string, JsonObject][] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties) as [string, JsonObject][];
}

describe('GATEWAY_TOOLS', () => {
  it.each(GATEWAY_TOOLS)(
    '$name is always loaded, has no output schema, and is explained in two sentences',
    (tool) => {
      expect(tool._meta).toEqual({ 'anthropic/alwaysLoad': true });
      expect(tool).not.toHaveProperty('outputSchema');
      expect(tool.description!.match(/\.(?= |$)/g)).toHaveLength(2);
    },
  );

  it.each(GATEWAY_TOOLS)('$name has a type for every property, at every depth', ({ name }) => {
    const open: [string, JsonObject][] = propertiesOf(schemaOf(name));
    expect(open.length).toBeGreaterThan(1);
    for (let next = open.pop(); next; next = open.pop()) {
      const [property, schema] = next;
      expect(schema, property).toHaveProperty('type');
      open.push(...propertiesOf(schema));
    }
  });

  it('tool_view describes every selector, with parameters that the selector takes', () => {
    const [, selector] = propertiesOf(schemaOf('tool_view')).find(([name]) => name === 'selector')!;
    const described = propertiesOf(selector);
    expect(described.map(([name]) => name).sort()).toEqual(Object.keys(SELECTORS).sort());
    for (const [name, schema] of described) {
      expect(SELECTORS[name]!.parameters).toEqual(
        expect.arrayContaining(propertiesOf(schema).map(([parameter]) => parameter)),
      );
    }
  });
});
