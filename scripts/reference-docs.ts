/** Generates the reference pages from code: `node scripts/reference-docs.ts` writes them, and a test compares them. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { configJsonSchema } from '../src/app/config/schema.ts';
import { isJsonObject, type JsonObject } from '../src/base/json/json.ts';
import { describeError, ERROR_CATALOGUE, ERROR_CODES } from '../src/contract/errors/catalogue.ts';

export function errorsPage(): string {
  const rows = ERROR_CODES.flatMap((code) => [
    row(code, undefined),
    ...Object.keys(ERROR_CATALOGUE[code].variants ?? {}).map((variant) => row(code, variant)),
  ]);
  return `# Errors

Every failure has one internal code. Each surface reports it under its own code. A row in *italics* is a variant: a special case of
the code, with its own meaning and next step. This page is generated from \`src/contract/errors/catalogue.ts\`.

On the gateway surface an error is a tool result with \`isError: true\`. Its text has the code, the message, whether a retry may help,
the next step and the details. \`_meta["toolgate/structured"]\` has the same for programs:
\`{"error", "message", "path", "retryable", "details"}\`. An unknown MCP tool name is JSON-RPC error −32602. A message that cannot be
parsed is answered with JSON-RPC error −32700 and the HTTP status below.

The error of a write that was authorized has \`details.effect\`. With an idempotency key it describes the effect under that key:

- \`none\`: the effect certainly did not happen. If the error is retryable, send the call again.
- \`unknown\`: the effect may have happened. The error is not retryable, whatever the table says, unless the tool is declared
  idempotent, takes the key of the call as an argument, or nothing was sent yet. Check the target system first.
- \`done\`: the tool ran, and its result was rejected. \`details.compensated\` tells whether its effect was undone.

The column *retryable* holds for reads and for writes without an effect.

| code | gateway code | operations code | HTTP | retryable | meaning | next step |
|---|---|---|--:|---|---|---|
${rows.join('\n')}
`;
}

function row(code: (typeof ERROR_CODES)[number], variant: string | undefined): string {
  const { gateway, operations, httpStatus, retryable, meaning, next } = describeError(code, variant);
  const name = variant === undefined ? code : `*${code}* · ${variant}`;
  return `| ${name} | ${gateway} | ${operations} | ${httpStatus} | ${retryable ? 'yes' : 'no'} | ${meaning} | ${next} |`;
}

export function configPage(): string {
  return `# Configuration

Toolgate reads one file: \`toolgate.yaml\` (or \`.yml\`, \`.json\`, \`.jsonc\`). It is searched in this order: \`--config\`,
\`TOOLGATE_CONFIG\`, the current folder, \`~/.config/toolgate/\`. An unknown key is an error that names the nearest known key. The config
file of an MCP client also works, unchanged. This page is generated from the schema; editors use the same schema from
\`toolgate.schema.json\`. \`toolgate config explain\` shows the effective values on your machine.

**References.** \`\${env:NAME}\` and \`\${file:path}\` are replaced in every string of an upstream, of \`store\` and of \`telemetry\`. A relative
path starts at the folder of the config file. \`\${NAME}\` and \`\${NAME:-default}\`, which MCP clients use, work too. An upstream with an
unresolved reference has the state *needs credentials*; the other upstreams run.

**Environment.** \`TOOLGATE_CONFIG\` names the config file, \`TOOLGATE_HOME\` the state folder (default \`~/.local/state/toolgate\`).

**Tools.** \`tools\`, \`rateLimits\` and \`cache.allow\` refer to tools by id, by \`namespace:tool\`, or by a pattern in which \`*\` stands for any
characters. Several keys of \`tools\` can match one tool. Each term is then taken from the most specific key that states it: an id before
\`namespace:tool\`, that before a pattern, and a pattern with more characters besides \`*\` before one with fewer; of two equal ones the
later. All rate limits that match apply. \`toolgate doctor\` lists the keys that match no tool.

\`\`\`yaml
tools:
  "files:*": { requiredScopes: ["files"], timeoutClass: standard }
  "files:delete_*": { enabled: false }            # callers cannot see or call these tools
  "files:write_file": { mutation: write_reversible, idempotency: { key: required } }
\`\`\`

In the table, \`*\` stands for a name that you choose: a namespace, or a key that refers to tools.

| key | default | meaning |
|---|---|---|
${renderConfigRows(configJsonSchema(), '').join('\n')}
`;
}

/** The entries of these maps are written by MCP clients and documented by them. */
const CLIENT_MAPS: readonly string[] = ['mcpServers', 'servers'];

function renderConfigRows(node: unknown, path: string): string[] {
  if (!isJsonObject(node)) return [];
  const rows: string[] = [];
  for (const [name, member] of Object.entries(isJsonObject(node.properties) ? node.properties : {})) {
    if (!isJsonObject(member)) continue;
    const key = path === '' ? name : `${path}.${name}`;
    if (typeof member.description === 'string') {
      const hasDefault = member.default !== undefined && !isJsonObject(member.properties);
      const fallback = hasDefault ? `\`${JSON.stringify(member.default)}\`` : '';
      rows.push(`| \`${key}\` | ${fallback} | ${member.description}${renderChoices(member)} |`);
    }
    rows.push(...renderConfigRows(member, key));
    if (!CLIENT_MAPS.includes(key)) rows.push(...renderConfigRows(member.additionalProperties, `${key}.*`));
  }
  return rows;
}

/** Lists the values of an enum that the description does not explain. */
function renderChoices({ enum: values, description }: JsonObject): string {
  const choices = Array.isArray(values) ? values : [];
  const isExplained = choices.every((choice) => String(description).includes(String(choice)));
  return isExplained ? '' : ` (${choices.join(', ')})`;
}

/** Fills every code block that names a file with its content, so that pages show only code that runs. */
export function withFiles(markdown: string): string {
  return markdown.replace(/^(```\w+ file=(\S+))\n[\s\S]*?^```$/gm, (_, opening: string, file: string) => {
    return `${opening}\n${readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')}\`\`\``;
  });
}

export function pagesWithFiles(): string[] {
  const root = new URL('..', import.meta.url);
  return ['README.md', ...globSync('docs/**/*.md', { cwd: root })].map(
    (page) => new URL(page, root).pathname,
  );
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/reference/errors.md', import.meta.url), errorsPage());
  writeFileSync(new URL('../docs/reference/configuration.md', import.meta.url), configPage());
  for (const page of pagesWithFiles()) writeFileSync(page, withFiles(readFileSync(page, 'utf8')));
}
