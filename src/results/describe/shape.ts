import { isJsonObject } from '../../base/json/json.ts';
import { ValueStats } from './value-stats.ts';

const MAX_NODES = 200_000;
const MAX_MEMBERS = 60;
const MAX_SHAPES = 2_000;
const MAX_LEVELS = 12;

interface Shape {
  readonly values: ValueStats;
  hasValues: boolean;
  lists: { shortest: number; longest: number; readonly items: Shape } | undefined;
  objects: { count: number; readonly members: Map<string, Member>; readonly others: Set<string> } | undefined;
}

interface Member {
  readonly shape: Shape;
  count: number;
}

/** Describes the shape of a document, with the items of a list merged. Only the first nodes of a large one are read. */
export function shapeLines(document: unknown): string[] {
  const survey = new Survey();
  const shape = emptyShape();
  survey.add(shape, document);
  const lines = linesOf(shape, '', 0);
  return survey.isComplete ? lines : [`of the first ${MAX_NODES} nodes:`, ...lines];
}

function emptyShape(): Shape {
  return { values: new ValueStats(), hasValues: false, lists: undefined, objects: undefined };
}

class Survey {
  isComplete = true;
  #nodes = 0;
  #shapes = 0;

  add(shape: Shape, value: unknown): void {
    if (++this.#nodes > MAX_NODES) {
      this.isComplete = false;
      return;
    }
    if (Array.isArray(value)) this.#addList(shape, value);
    else if (isJsonObject(value)) this.#addObject(shape, value);
    else {
      shape.hasValues = true;
      shape.values.add(value as string | number | boolean | null);
    }
  }

  #addList(shape: Shape, list: readonly unknown[]): void {
    const { length } = list;
    shape.lists ??= { shortest: length, longest: length, items: emptyShape() };
    shape.lists.shortest = Math.min(shape.lists.shortest, length);
    shape.lists.longest = Math.max(shape.lists.longest, length);
    for (let index = 0; index < length && this.isComplete; index++) this.add(shape.lists.items, list[index]);
  }

  #addObject(shape: Shape, object: Readonly<Record<string, unknown>>): void {
    shape.objects ??= { count: 0, members: new Map(), others: new Set() };
    const { members, others } = shape.objects;
    shape.objects.count++;
    for (const key of Object.keys(object)) {
      if (!this.isComplete) return;
      let member = members.get(key);
      if (!member) {
        if (members.size >= MAX_MEMBERS || this.#shapes >= MAX_SHAPES) {
          this.#nodes++;
          others.add(key);
          continue;
        }
        this.#shapes++;
        member = { shape: emptyShape(), count: 0 };
        members.set(key, member);
      }
      member.count++;
      this.add(member.shape, object[key]);
    }
  }
}

/** The first line continues the caller's line. */
function linesOf(shape: Shape, indent: string, level: number): string[] {
  const kinds: string[][] = [];
  if (shape.hasValues) kinds.push([shape.values.describe()]);
  if (shape.lists) kinds.push(listLines(shape.lists, indent, level));
  if (shape.objects) kinds.push(objectLines(shape.objects, indent, level));
  if (kinds.length === 0) return ['nothing'];
  return kinds.reduce((lines, [first, ...rest]) => [
    ...lines.slice(0, -1),
    `${lines.at(-1)} | ${first}`,
    ...rest,
  ]);
}

function listLines(
  { shortest, longest, items }: NonNullable<Shape['lists']>,
  indent: string,
  level: number,
): string[] {
  const length = shortest === longest ? longest : `${shortest}..${longest}`;
  const [first, ...rest] = longest === 0 ? ['nothing'] : linesOf(items, indent, level);
  return [`${length} × ${first}`, ...rest];
}

function objectLines(
  { count, members, others }: NonNullable<Shape['objects']>,
  indent: string,
  level: number,
): string[] {
  if (members.size === 0 && others.size === 0) return ['{}'];
  if (level >= MAX_LEVELS) return ['{…}'];
  const inner = `${indent}  `;
  const lines = [...members].flatMap(([key, member]) => {
    const [first, ...rest] = linesOf(member.shape, inner, level + 1);
    return [`${inner}${nameOf(key)}${member.count < count ? '?' : ''}: ${first}`, ...rest];
  });
  if (others.size > 0) lines.push(`${inner}… and ${others.size} more`);
  return ['{', ...lines, `${indent}}`];
}

/** Quotes a key that could be mistaken for syntax. */
function nameOf(key: string): string {
  return /^[\p{L}\p{N}_.$-]{1,100}$/u.test(key) ? key : JSON.stringify(key.slice(0, 100));
}
