import { escapeToken } from '../../base/json/pointer.ts';

/** A text that makes up most of a document. A reader wants the text, and not the shape of the document around it. */
export interface BulkText {
  /** Its JSON pointer. */
  readonly at: string;
  readonly text: string;
}

const MIN_SHARE = 0.8;
/** A document with more values than this is better described by its shape. */
const MAX_VALUES = 1_000;

/** Listing the names of an object with many members takes long, so each document is searched once. */
const found = new WeakMap<object, BulkText | 'none'>();

export function findBulkText(document: unknown): BulkText | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const bulk = found.get(document) ?? search(document) ?? 'none';
  found.set(document, bulk);
  return bulk === 'none' ? undefined : bulk;
}

function search(document: object): BulkText | undefined {
  let longest: BulkText | undefined;
  let length = 0;
  const open: { readonly at: string; readonly value: unknown }[] = [{ at: '', value: document }];
  for (let values = 1; open.length > 0; ) {
    const { at, value } = open.pop()!;
    if (typeof value === 'string') {
      length += value.length;
      if (!longest || value.length > longest.text.length) longest = { at, text: value };
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.keys(value);
      values += members.length;
      if (values > MAX_VALUES) return undefined;
      for (const name of members) {
        length += name.length;
        open.push({ at: `${at}/${escapeToken(name)}`, value: value[name as keyof typeof value] });
      }
    }
  }
  return longest && longest.text.length >= MIN_SHARE * length ? longest : undefined;
}
