import type { JsonObject } from '../base/json/json.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import { formatToolId, repairName, repairVersion, toolShapeHash } from '../contract/tool/tool-id.ts';
import { MAX_READ_LENGTH } from './descriptor-text.ts';
import type { ReportFinding } from './report.ts';
import type { ToolNames } from './tool-keys.ts';

export interface Identity extends ToolNames {
  readonly version: string | undefined;
}

export interface NamedSchema {
  readonly namespace: string;
  readonly upstreamName: string;
  readonly inputSchema: JsonObject;
}

/** The id of a tool, with its name and version made valid where they are not. */
export function identifyTool(
  { version: offeredVersion }: Pick<ToolDescriptor, 'version'>,
  { namespace, upstreamName, inputSchema }: NamedSchema,
): Identity {
  const name = repairName(upstreamName.slice(0, MAX_READ_LENGTH));
  const version = typeof offeredVersion === 'string' ? repairVersion(offeredVersion) : undefined;
  const id = formatToolId({
    namespace,
    name,
    ...(version && { version }),
    // Repair can make two names equal. The hash covers the original name, so the ids stay different.
    ...((!version || name !== upstreamName) && { hash8: toolShapeHash(upstreamName, inputSchema) }),
  });
  return { id, namespace, name, version, upstreamName };
}

export function reportRepairs(descriptor: ToolDescriptor, repaired: Identity, report: ReportFinding): void {
  if (repaired.name !== descriptor.name) {
    const reason = 'the name is outside the id grammar; the id has a repaired name, calls use the original';
    report('repaired', 'NAME', reason);
  }
  if (typeof descriptor.version === 'string' && repaired.version !== descriptor.version) {
    report('repaired', 'VERSION', 'the version is outside the id grammar; the id has a repaired version');
  }
  if (descriptor.description !== undefined && typeof descriptor.description !== 'string') {
    report('flagged', 'DESCRIPTION', 'the description is not text and was removed');
  }
}
