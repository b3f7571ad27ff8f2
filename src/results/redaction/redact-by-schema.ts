import type { JsonObject } from '../../contract/json.ts';
import { type AppliedSchemas, appliedSchemas } from './applied-schemas.ts';
import { objectsIn } from './local-reference.ts';
import { addFound, type Found, NONE_FOUND } from './redact.ts';
import type { RedactedValue } from './redact-json.ts';
import { marker } from './rule.ts';

const SENSITIVITY = 'x-sensitivity';
/** The worst first: where several are said, it counts. */
const SENSITIVITIES = ['credential', 'secret', 'pii'] as const;
type Sensitivity = (typeof SENSITIVITIES)[number];

const MAX_DEPTH = 512;
const marks = new WeakMap<JsonObject, boolean>();

/** A value without what its schema marks as sensitive; the same value where nothing of it is marked. */
export function redactBySchema(value: unknown, schema: JsonObject): RedactedValue {
  if (!hasMarks(schema)) return { value, found: NONE_FOUND };
  const work: Work = { applied: appliedSchemas(schema), found: NONE_FOUND };
  return { value: redacted(value, { schemas: work.applied.toRoot, depth: 0 }, work), found: work.found };
}

function hasMarks(schema: JsonObject): boolean {
  const known = marks.get(schema);
  if (known !== undefined) return known;
  const marked = [...objectsIn(schema)].some((node) => Object.hasOwn(node, SENSITIVITY));
  marks.set(schema, marked);
  return marked;
}

interface Work {
  readonly applied: AppliedSchemas;
  found: Found;
}

interface Where {
  readonly schemas: ReadonlySet<JsonObject>;
  readonly depth: number;
}

function redacted(value: unknown, { schemas, depth }: Where, work: Work): unknown {
  if (schemas.size === 0) return value;
  const mark = markOf(schemas);
  if (mark !== undefined) return hidden(value, mark, work);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return hiddenOne(value, 'secret', work);
  const below = { depth: depth + 1 };
  if (Array.isArray(value)) {
    const items = value.map((item, i) =>
      redacted(item, { ...below, schemas: work.applied.toItem(schemas, i) }, work),
    );
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    redacted(member, { ...below, schemas: work.applied.toMember(schemas, name) }, work),
  ]);
  return members.some(([name, member]) => member !== (value as JsonObject)[name])
    ? Object.fromEntries(members)
    : value;
}

/** A list keeps its length; truth and absence stay, or nobody could make sense of the rest. */
function hidden(value: unknown, mark: Sensitivity, work: Work): unknown {
  if (Array.isArray(value)) return value.map((item) => hiddenOne(item, mark, work));
  return hiddenOne(value, mark, work);
}

function hiddenOne(value: unknown, mark: Sensitivity, work: Work): unknown {
  if (value === null || value === undefined || typeof value === 'boolean' || value === marker(mark))
    return value;
  work.found = addFound(work.found, { [mark]: 1 });
  return marker(mark);
}

function markOf(schemas: ReadonlySet<JsonObject>): Sensitivity | undefined {
  const said = [...schemas].flatMap((schema) => schema[SENSITIVITY]);
  return SENSITIVITIES.find((known) => said.includes(known));
}
