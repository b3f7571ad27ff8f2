import type { ToolContract } from '../contract/tool/tool.ts';

/**
 * Why a check of a tool is not read-only: it calls a tool of the same upstream that writes; undefined where none does. A
 * check that calls another upstream, or a tool that changes later, is tested again before each call.
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
      return `its ${check} calls ${used.name}, which writes; a ${check} may call only a read_only tool`;
  }
  return undefined;
}

function isNamed(reference: string, { id, namespace, name }: ToolContract): boolean {
  return [id, `/${namespace}/${name}`, `${namespace}:${name}`].includes(reference);
}
