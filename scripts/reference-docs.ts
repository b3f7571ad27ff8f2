/** Renders the reference pages that come from code. `node scripts/reference-docs.ts` writes them; a test compares. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { configJsonSchema } from '../src/app/config/schema.ts';
import { isJsonObject } from '../src/base/json/json.ts';
import { describeError, ERROR_CATALOGUE, ERROR_CODES } from '../src/contract/errors/catalogue.ts';

export function errorsPage(): string {
  const rows = ERROR_CODES.flatMap((code) => [
    row(code, undefined),
    ...Object.keys(ERROR_CATALOGUE[code].variants ?? {}).map((variant) => row(code, variant)),
  ]);
  return `# Errors

Every failure has one internal code; each surface has its own word for it. A code in *italics* is the same code under
circumstances that some surface has another word for. This page is rendered from \`src/contract/error-catalogue.ts\`.

On the gateway surface an error is a tool result with \`isError: true\`; its text and its structured content are
\`{"error", "message", "path", "retryable", "details"}\`. An unknown MCP tool name is JSON-RPC error −32602. A message that
cannot be read is refused with JSON-RPC error −32700 and the HTTP status below.

| code | gateway word | operations word | HTTP | retryable | meaning | what to do next |
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

One file: \`toolgate.yaml\` (or \`.yml\`, \`.json\`, \`.jsonc\`), found by \`--config\`, \`TOOLGATE_CONFIG\`, the present folder or
\`~/.config/toolgate/\`, in this order. Unknown keys are refused, with the nearest known one. An MCP client's own config
file works as it is. This page is rendered from the schema; \`toolgate.schema.json\` is the same for editors, and
\`toolgate config explain\` shows what holds on your machine.

References: \`\${env:NAME}\` and \`\${file:path}\` (from the config's folder) in any text of an upstream, of
\`store\` and of \`telemetry\`; also \`\${NAME}\` and \`\${NAME:-default}\`, which client configs use. An upstream whose reference leads
nowhere is shown as *needs credentials*; the others run.

Environment: \`TOOLGATE_CONFIG\` names the file, \`TOOLGATE_HOME\` the state folder (default \`~/.local/state/toolgate\`).

| key | default | meaning |
|---|---|---|
${configRows(configJsonSchema(), '').join('\n')}
`;
}

function configRows(node: unknown, path: string): string[] {
  if (!isJsonObject(node)) return [];
  const rows: string[] = [];
  for (const [name, member] of Object.entries(isJsonObject(node.properties) ? node.properties : {})) {
    if (!isJsonObject(member)) continue;
    const key = path === '' ? name : `${path}.${name}`;
    if (typeof member.description === 'string') {
      const fallback = member.default === undefined ? '' : `\`${JSON.stringify(member.default)}\``;
      const choices = Array.isArray(member.enum) ? ` (${member.enum.join(', ')})` : '';
      rows.push(`| \`${key}\` | ${fallback} | ${member.description}${choices} |`);
    }
    rows.push(...configRows(member, key));
    if (key === 'upstreams') rows.push(...configRows(member.additionalProperties, 'upstreams.*'));
  }
  return rows;
}

/** Puts the file into every code block that names one, so that a page cannot show what does not run. */
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
