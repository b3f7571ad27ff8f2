/** A child process that serves MCP on its standard streams. */
export interface StdioTarget {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child. The config decides it; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

export interface HttpTarget {
  readonly kind: 'http';
  readonly url: string;
  readonly transport: 'streamable' | 'sse';
  readonly headers: Readonly<Record<string, string>>;
}

export type McpTarget = StdioTarget | HttpTarget;
