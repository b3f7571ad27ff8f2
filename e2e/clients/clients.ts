import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MESSAGES_API } from './messages-api.ts';
import type { ModelApiFormat } from './model-api.ts';
import { RESPONSES_API } from './responses-api.ts';

export interface Client {
  readonly title: string;
  readonly npmPackage: string;
  readonly program: string;
  readonly api: ModelApiFormat;
  /** Writes the configuration that the docs give to users, and returns the command of one task without questions. */
  prepare(options: ClientOptions): Command;
}

export interface ClientOptions {
  /** An empty folder for the client's home. */
  readonly home: string;
  readonly gatewayUrl: string;
  readonly modelOrigin: string;
}

export interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const PROMPT = 'Read the file to its end.';

export const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    title: 'Claude Code',
    npmPackage: '@anthropic-ai/claude-code',
    program: 'claude',
    api: MESSAGES_API,
    prepare({ home, gatewayUrl, modelOrigin }) {
      const config = join(home, 'mcp.json');
      writeFileSync(config, JSON.stringify({ mcpServers: { toolgate: { type: 'http', url: gatewayUrl } } }));
      const servers = ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__toolgate'];
      return {
        args: ['--print', PROMPT, '--model', 'claude-sonnet-4-5', ...servers],
        env: {
          ANTHROPIC_BASE_URL: modelOrigin,
          ANTHROPIC_API_KEY: 'none',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        },
      };
    },
  },
  codex: {
    title: 'Codex',
    npmPackage: '@openai/codex',
    program: 'codex',
    api: RESPONSES_API,
    prepare({ home, gatewayUrl, modelOrigin }) {
      const folder = join(home, '.codex');
      mkdirSync(folder);
      writeFileSync(join(folder, 'config.toml'), codexConfig(gatewayUrl, modelOrigin));
      return {
        args: ['exec', '--skip-git-repo-check', PROMPT],
        env: { CODEX_HOME: folder, SCRIPTED_MODEL_KEY: 'none' },
      };
    },
  },
};

function codexConfig(gatewayUrl: string, modelOrigin: string): string {
  return `
model = "gpt-5.1-codex"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"

[model_providers.scripted]
name = "Scripted model"
base_url = "${modelOrigin}/v1"
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"

[mcp_servers.toolgate]
url = "${gatewayUrl}"
default_tools_approval_mode = "approve"
`;
}
