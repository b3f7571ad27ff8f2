/** The public surface. A change here breaks users: make it on purpose, and list it in CHANGELOG.md. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { allConfigKeys } from '../src/app/config/keys.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { createProgram } from '../src/cli/program.ts';
import { ERROR_CODES } from '../src/contract/errors/catalogue.ts';
import { GATEWAY_TOOLS } from '../src/ingress/mcp/gateway/definitions.ts';

describe('package exports', () => {
  it('contains exactly these values', async () => {
    expect(Object.keys(await import('../src/index.ts')).sort()).toEqual([
      'CatalogError',
      'ConfigError',
      'ERROR_CATALOGUE',
      'ERROR_CODES',
      'Fault',
      'LOCAL_USER',
      'PHASES',
      'SELECTION_FORMS',
      'canonicalJson',
      'countTokens',
      'createCaller',
      'deriveIdempotencyKey',
      'describeError',
      'formatToolId',
      'loadConfig',
      'makeLogger',
      'openGateway',
      'parseToolId',
      'selectionSchema',
      'serveHttp',
      'serveStdio',
      'traceFrom',
      'validateSelection',
    ]);
  });

  it('contains exactly these types', () => {
    const text = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');
    const exported = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType, names]) =>
      names!
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && (isType !== undefined || name.startsWith('type ')))
        .map((name) => name.replace(/^type /, '')),
    );
    expect(exported.sort()).toEqual([
      'CallError',
      'CallHandles',
      'CallRequest',
      'Caller',
      'ChoiceCard',
      'Config',
      'ConfigRequest',
      'ContentPart',
      'DeclaredTerms',
      'ErrorCode',
      'Gateway',
      'GatewayOptions',
      'Json',
      'JsonObject',
      'KeyParts',
      'Logger',
      'NativeContext',
      'NativeTool',
      'Outcome',
      'Phase',
      'Principal',
      'Progress',
      'Receipt',
      'ResultView',
      'SelectionForm',
      'SelectionValidation',
      'ServingOptions',
      'ToolContract',
      'ToolHints',
      'ToolIdParts',
      'ToolResult',
      'UpstreamState',
      'UpstreamStatus',
    ]);
  });
});

/** Each command with its arguments and its own options, without the options that every command has. */
function commandsOf(parent: Command, path = ''): string[] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    if (command.commands.length > 0) return commandsOf(command, `${name} `);
    const args = command.registeredArguments.map((argument) =>
      argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`,
    );
    const shared = new Set(['--config', '--json', '--quiet']);
    const options = command.options.flatMap(({ long }) => (long && !shared.has(long) ? [` ${long}`] : []));
    return [`${name}${args.join('')}${options.join('')}`];
  });
}

describe('command line', () => {
  const root = createProgram(
    { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
    () => {},
  );

  it('has exactly these commands', () => {
    expect(commandsOf(root).sort()).toEqual([
      'affordances <objective> --budget',
      'browse <query-or-path> --top-k --explain --wait',
      'call <tool> [args] --dry-run --key --timeout',
      'calls list --limit --tool --principal --status --kind --since --until --before',
      'calls prune --before --keep-days --dry-run',
      'calls resolve <call> --executed --not-executed --message --force --reason',
      'calls show <call>',
      'calls tail',
      'calls unresolved --limit',
      'catalog list --all',
      'catalog report',
      'catalog show <tool> --at --all',
      'config explain',
      'config schema',
      'doctor',
      'examples clear --owner',
      'examples list --owner',
      'import --from --yes',
      'serve --port --host',
      'stdio',
      'store backup <file>',
      'view <handle> [selector]',
    ]);
  });

  it('gives every command --config, --json and --quiet', () => {
    const leaves = root.commands.flatMap((command) =>
      command.commands.length > 0 ? command.commands : [command],
    );
    for (const command of leaves)
      expect(command.options.map(({ long }) => long)).toEqual(
        expect.arrayContaining(['--config', '--json', '--quiet']),
      );
  });

  it('has exactly these exit codes', () => {
    expect(EXIT).toEqual({ ok: 0, failed: 1, usage: 2, refused: 3, unhealthy: 4 });
  });
});

describe('config', () => {
  it('has exactly these keys', () => {
    expect(allConfigKeys()).toEqual([
      '$schema',
      'profile',
      'surface',
      'server',
      'server.host',
      'server.port',
      'server.allowedHosts',
      'server.allowUnauthenticated',
      'server.allowedOrigins',
      'server.maxBodyBytes',
      'server.maxDepth',
      'server.maxInFlight',
      'server.maxSubscriptions',
      'server.drainTimeoutMs',
      'server.structuredContent',
      'store',
      'store.sqlite',
      'store.postgres',
      'store.syncIntents',
      'catalog',
      'catalog.onInvalid',
      'catalog.onOversizedSchema',
      'catalog.maxSchemaBytes',
      'catalog.maxSchemaDepth',
      'catalog.maxSchemaProperties',
      'discovery',
      'discovery.embeddings',
      'discovery.learnFrom',
      'discovery.learnEveryMinutes',
      'discovery.cardOrder',
      'idempotency',
      'idempotency.onInFlight',
      'idempotency.leaseMs',
      'receipts',
      'receipts.keepDays',
      'receipts.failClosed',
      'retry',
      'retry.attempts',
      'retry.baseDelayMs',
      'retry.maxDelayMs',
      'cache',
      'cache.readOnly',
      'cache.allow',
      'cache.ttlSeconds',
      'cache.maxEntries',
      'rateLimits',
      'rateLimits.*.perMinute',
      'rateLimits.*.perSession',
      'results',
      'results.thresholdTokens',
      'results.artifactTtlMinutes',
      'results.artifactQuotaMegabytes',
      'redaction',
      'redaction.off',
      'redaction.rules',
      'redaction.keys',
      'identity',
      'identity.localScopes',
      'log',
      'log.level',
      'telemetry',
      'telemetry.otlp',
      'telemetry.otlpHeaders',
      'telemetry.prometheus',
      'telemetry.serviceName',
      'tools',
      'tools.*.enabled',
      'tools.*.expose',
      'tools.*.version',
      'tools.*.mutation',
      'tools.*.timeoutClass',
      'tools.*.requiredScopes',
      'tools.*.requiredScopesAny',
      'tools.*.credential',
      'tools.*.idempotency',
      'tools.*.idempotency.key',
      'tools.*.idempotency.windowMs',
      'tools.*.idempotent',
      'tools.*.idempotencyKeyArgument',
      'tools.*.sideEffects',
      'tools.*.errors',
      'tools.*.labels',
      'tools.*.cost',
      'tools.*.cost.perCall',
      'tools.*.cost.tokens',
      'tools.*.examples',
      'tools.*.verify',
      'tools.*.verify.integrity',
      'tools.*.verify.readBack',
      'tools.*.verify.readBack.tool',
      'tools.*.verify.readBack.args',
      'tools.*.verify.readBack.expect',
      'tools.*.verify.probe',
      'tools.*.verify.probe.tool',
      'tools.*.verify.probe.args',
      'tools.*.verify.compensate',
      'tools.*.verify.compensate.tool',
      'tools.*.verify.compensate.args',
      'upstreams',
      'upstreams.*.command',
      'upstreams.*.args',
      'upstreams.*.env',
      'upstreams.*.envFile',
      'upstreams.*.cwd',
      'upstreams.*.url',
      'upstreams.*.headers',
      'upstreams.*.transport',
      'upstreams.*.era',
      'upstreams.*.maxAnswerBytes',
      'upstreams.*.enabled',
      'upstreams.*.expose',
      'upstreams.*.tools',
      'upstreams.*.tools.allow',
      'upstreams.*.tools.deny',
      'upstreams.*.startTimeoutMs',
      'upstreams.*.probeIntervalMs',
      'upstreams.*.unknownArguments',
      'upstreams.*.tolerantArguments',
      'upstreams.*.applyDefaults',
      'upstreams.*.maxConcurrent',
      'upstreams.*.maxQueued',
      'upstreams.*.circuitBreaker',
      'upstreams.*.circuitBreaker.failureThreshold',
      'upstreams.*.circuitBreaker.resetTimeoutMs',
      'mcpServers',
      'mcpServers.*.command',
      'mcpServers.*.url',
      'servers',
      'servers.*.command',
      'servers.*.url',
    ]);
  });
});

describe('codes and meta-tools', () => {
  it('have exactly these error codes', () => {
    expect(ERROR_CODES).toEqual([
      'INVALID_INPUT',
      'SCHEMA_INVALID',
      'TOOL_NOT_FOUND',
      'WRONG_OPERATION_TYPE',
      'AUTHENTICATION_REQUIRED',
      'AUTHORIZATION_DENIED',
      'APPROVAL_REQUIRED',
      'RATE_LIMITED',
      'DEADLINE_EXCEEDED',
      'CANCELLED',
      'UPSTREAM_UNAVAILABLE',
      'UPSTREAM_AUTH_FAILED',
      'UPSTREAM_FAILURE',
      'PRECONDITION_FAILED',
      'CONFLICT',
      'RESOURCE_EXHAUSTED',
      'TOOL_QUARANTINED',
      'TOOL_DEPRECATED',
      'COMPOSITE_PARTIAL_FAILURE',
      'RETRY_EXHAUSTED',
      'INTERNAL_TOOL_ERROR',
    ]);
  });

  it('have exactly these meta-tools with these arguments', () => {
    const tools = GATEWAY_TOOLS.map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema.properties ?? {}),
    ]);
    expect(tools).toEqual([
      ['tool_browse', ['query', 'path', 'top_k']],
      ['tool_execute', ['tool_id', 'args', 'dry_run', 'idempotency_key']],
      ['tool_view', ['handle', 'selector']],
    ]);
  });
});
