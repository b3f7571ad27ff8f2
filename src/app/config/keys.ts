import { isJsonObject } from '../../base/json/json.ts';
import { configJsonSchema } from './schema.ts';

/** The keys allowed at a path of the config. A path may pass through a record by any name, since its keys are free. */
export function configKeys(path: readonly string[] = []): string[] {
  let node: unknown = configJsonSchema();
  for (const segment of path) {
    if (!isJsonObject(node)) return [];
    const properties = isJsonObject(node.properties) ? node.properties : {};
    node = properties[segment] ?? node.additionalProperties;
  }
  return isJsonObject(node) && isJsonObject(node.properties) ? Object.keys(node.properties) : [];
}

/** Every key with a fixed name, such as `server.port`; `*` stands for names that the user chooses. */
export function allConfigKeys(): string[] {
  const keys: string[] = [];
  const visit = (node: unknown, path: string): void => {
    if (!isJsonObject(node)) return;
    const properties = isJsonObject(node.properties) ? Object.entries(node.properties) : [];
    for (const [name, member] of properties) {
      const key = path === '' ? name : `${path}.${name}`;
      keys.push(key);
      visit(member, key);
    }
    if (isJsonObject(node.additionalProperties) && node.additionalProperties.properties) {
      visit(node.additionalProperties, `${path}.*`);
    }
  };
  visit(configJsonSchema(), '');
  return keys;
}
