import type { ToolContract } from '../contract/tool/tool.ts';

/**
 * Which check of a tool would look with one that writes, among the tools of one upstream; undefined where none would. What
 * lies elsewhere, or changes later, is found out before each call.
 */
export function findCheckThatWrites(
  contract: ToolContract,
  neighbours: Iterable<ToolContract>,
): string | undefined {
  const { readBack, probe } = contract.verification ?? {};
  for (const [check, use] of Object.entries({ 'read-back': readBack, probe })) {
    if (!use) continue;
    const used = [...neighbours].find((neighbour) => isNamed(use.tool, neighbour));
    if (used && used.mutation !== 'read_only')
      return `its ${check} looks with ${used.name}, which writes: only a tool that is read_only may look`;
  }
  return undefined;
}

function isNamed(reference: string, { id, namespace, name }: ToolContract): boolean {
  return [id, `/${namespace}/${name}`, `${namespace}:${name}`].includes(reference);
}
