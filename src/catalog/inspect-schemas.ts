import { isJsonObject } from '../base/json/json.ts';
import { plainLine } from '../base/text/plain-text.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import type { ProfileName } from './profile.ts';
import type { ReportFinding } from './report.ts';
import { inspectSchema, isTooDeep, type SchemaLimits } from './schema/budget.ts';
import { findSchemaDefect } from './schema/dialect.ts';

export interface SchemaPolicy {
  readonly limits: SchemaLimits;
  /** What happens to a tool whose schema exceeds the limits or refers to another document. */
  readonly onOversizedSchema: 'refuse' | 'flag';
  /** `production` refuses a tool whose schema is invalid; the others admit it, and its calls return SCHEMA_INVALID. */
  readonly profile: ProfileName;
}

export interface InspectedSchemas {
  readonly refused: boolean;
  /** Why a schema cannot be used; calls of the tool return it with SCHEMA_INVALID. */
  readonly defect: string | undefined;
}

/** Inspects the input and the output schema of a tool, and reports what is wrong with them. */
export function inspectSchemas(
  descriptor: ToolDescriptor,
  policy: SchemaPolicy,
  report: ReportFinding,
): InspectedSchemas {
  let isRefused = false;
  let defect: string | undefined;
  for (const which of ['input', 'output'] as const) {
    const schema = descriptor[`${which}Schema`];
    if (schema === undefined || schema === null) continue;
    const { refused, unenforced } = isJsonObject(schema)
      ? inspectSchema(schema, policy.limits)
      : { refused: [], unenforced: [] };
    for (const reason of unenforced) report('flagged', 'SCHEMA_INVALID', `${which} schema: ${reason}`);
    if (refused.length > 0) {
      const refuse = policy.onOversizedSchema === 'refuse' || (isJsonObject(schema) && isTooDeep(schema));
      report(refuse ? 'refused' : 'flagged', 'SCHEMA_INVALID', `${which} schema: ${refused.join('; ')}`);
      isRefused ||= refuse;
      continue;
    }
    const reason = isJsonObject(schema) ? findSchemaDefect(schema) : 'it is not an object';
    if (reason === undefined) continue;
    const sentence = plainLine(`${which} schema: ${reason}`);
    const refuse = policy.profile === 'production';
    if (refuse) report('refused', 'SCHEMA_INVALID', `profile production requires a valid ${sentence}`);
    else report('flagged', 'SCHEMA_INVALID', sentence);
    isRefused ||= refuse;
    defect ??= sentence;
  }
  return { refused: isRefused, defect };
}
