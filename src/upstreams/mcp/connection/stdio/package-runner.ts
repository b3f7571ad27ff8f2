import type { StdioTarget } from '../target.ts';

/** Programs that always download a package and run it. */
const RUNNERS = new Set(['npx', 'uvx', 'bunx', 'pnpx']);
/** Programs that do so with these first arguments. */
const RUNNER_COMMANDS = new Map<string, readonly string[]>([
  ['npm', ['exec', 'x']],
  ['pnpm', ['dlx']],
  ['yarn', ['dlx']],
  ['bun', ['x']],
  ['uv', ['run', 'tool']],
  ['pipx', ['run']],
  ['docker', ['run']],
  ['podman', ['run']],
]);

/** Whether the command may download what it runs, which takes far longer than a start. */
export function isPackageRunner({ command, args }: Pick<StdioTarget, 'command' | 'args'>): boolean {
  const name = programName(command);
  // On Windows scripts are started through the command interpreter.
  if (name === 'cmd' && args[0]?.toLowerCase() === '/c') {
    return isPackageRunner({ command: args[1] ?? '', args: args.slice(2) });
  }
  const subcommand = args.find((arg) => !arg.startsWith('-'));
  return RUNNERS.has(name) || (RUNNER_COMMANDS.get(name)?.includes(subcommand ?? '') ?? false);
}

/** The last part of a path, without the extension that Windows needs. */
function programName(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(cmd|exe|bat)$/, '');
}
