import type { JsonObject } from '../../base/json/json.ts';
import { addCount, type RuleCounts } from '../engine/counts.ts';
import { patchJson } from '../formats/patch-json.ts';
import type { RedactedText } from '../redact.ts';
import type { RedactedValue } from '../redact-json.ts';
import { formatMarker } from '../rule.ts';
import { type AppliedSchemas, appliedSchemas } from './applied-schemas.ts';

const SENSITIVITY = 'x-sensitivity';
/** The most sensitive first: it wins where several are declared. */
const SENSITIVITIES = ['credential', 'secret', 'pii'] as const;
type Sensitivity = (typeof SENSITIVITIES)[number];

const MAX_DEPTH = 512;
const marks = new WeakMap<JsonObject, boolean>();

/** Texts and numbers that were marked as sensitive, each with its highest sensitivity. */
export type Marked = Map<string, Sensitivity>;

/**
 * Redacts the parts of a value that its schema marks as sensitive, and adds them to `marked`. Returns the same value where
 * no part is marked.
 */
export function redactBySchema(
  value: unknown,
  schema: JsonObject,
  marked: Marked = new Map(),
): RedactedValue {
  const found: RuleCounts = {};
  if (!hasMarks(schema)) return { value, found };
  const work: Work = { applied: appliedSchemas(schema), found, marked };
  return { value: redactNode(value, { schemas: work.applied.toRoot, depth: 0 }, work), found };
}

/** The same for a JSON text, because most servers send the structured value also as text. */
export function redactTextBySchema(
  text: string,
  schema: JsonObject,
  marked: Marked = new Map(),
): RedactedText {
  if (!hasMarks(schema) || !/^\s*[[{"]/.test(text)) return { text, found: {} };
  try {
    const value: unknown = JSON.parse(text);
    const { value: clean, found } = redactBySchema(value, schema, marked);
    return { text: clean === value ? text : patchJson(text, value, clean), found };
  } catch {
    return { text, found: {} };
  }
}

export function hasMarks(schema: JsonObject): boolean {
  const known = marks.get(schema);
  if (known !== undefined) return known;
  const isMarked = holdsKey(schema, SENSITIVITY);
  marks.set(schema, isMarked);
  return isMarked;
}

/** Looks at all objects, data too, because a reference may lead into data; with a list, because hostile schemas are deep. */
function holdsKey(root: unknown, key: string): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (!Array.isArray(node) && Object.hasOwn(node, key)) return true;
    for (const member of Object.values(node)) open.push(member);
  }
  return false;
}

interface Work {
  readonly applied: AppliedSchemas;
  readonly found: RuleCounts;
  readonly marked: Marked;
}

interface Position {
  readonly schemas: ReadonlySet<JsonObject>;
  readonly depth: number;
}

function redactNode(value: unknown, { schemas, depth }: Position, work: Work): unknown {
  if (schemas.size === 0) return value;
  const sensitivity = sensitivityOf(schemas);
  if (sensitivity !== undefined) return maskParts(value, sensitivity, work);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return mask(value, 'secret', work);
  const below = { depth: depth + 1 };
  if (Array.isArray(value)) {
    const items = value.map((item, i) =>
      redactNode(item, { ...below, schemas: work.applied.toItem(schemas, i) }, work),
    );
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    redactNode(member, { ...below, schemas: work.applied.toMember(schemas, name) }, work),
  ]);
  return members.some(([name, member]) => member !== (value as JsonObject)[name])
    ? Object.fromEntries(members)
    : value;
}

/** Masks each item of a list, so that the list keeps its length. */
function maskParts(value: unknown, sensitivity: Sensitivity, work: Work): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, sensitivity, work));
  return mask(value, sensitivity, work);
}

/** Booleans and null stay, because the rest would be meaningless without them. */
function mask(value: unknown, sensitivity: Sensitivity, work: Work): unknown {
  if (
    value === null ||
    value === undefined ||
    typeof value === 'boolean' ||
    value === formatMarker(sensitivity)
  )
    return value;
  addCount(work.found, sensitivity);
  collectScalars(value, sensitivity, work.marked);
  return formatMarker(sensitivity);
}

function collectScalars(value: unknown, sensitivity: Sensitivity, marked: Marked): void {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node === 'object' && node !== null)
      for (const member of Object.values(node)) open.push(member);
    else if (typeof node === 'string' || typeof node === 'number') {
      const known = marked.get(String(node));
      if (!known || SENSITIVITIES.indexOf(sensitivity) < SENSITIVITIES.indexOf(known))
        marked.set(String(node), sensitivity);
    }
  }
}

function sensitivityOf(schemas: ReadonlySet<JsonObject>): Sensitivity | undefined {
  const declared = [...schemas].flatMap((schema) => schema[SENSITIVITY]);
  return SENSITIVITIES.find((known) => declared.includes(known));
}
