export type MessageId = string | number;

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const MEMBER = String.raw`${STRING}\s*:\s*(?:${STRING}|-?\d+(?:\.\d+)?|true|false|null)`;
/** The members before the first one that is an object or an array. */
const LEADING = new RegExp(String.raw`^\s*\{\s*((?:${MEMBER}\s*,\s*)*)`);
/** The members after the last one that is an object or an array. A text inside of one has no unescaped quotes. */
const TRAILING = new RegExp(String.raw`[}\]]\s*((?:,\s*${MEMBER}\s*)*)\}\s*$`);
const ID = new RegExp(String.raw`"id"\s*:\s*(${STRING}|-?\d+)`);

/**
 * What both ends of a long line show of a JSON-RPC answer. Servers write the id before or after the result; it is
 * undefined where it is in neither end. The whole is undefined for a line that is no answer.
 */
export function parseOversizedAnswer(
  head: string,
  tail: string,
): { readonly id: MessageId | undefined } | undefined {
  const leading = LEADING.exec(head)?.[1];
  if (leading === undefined) return undefined;
  const members = `${leading} ${TRAILING.exec(tail)?.[1] ?? ''}`;
  if (/"method"\s*:/.test(members)) return undefined;
  const id = ID.exec(members)?.[1];
  return { id: id === undefined ? undefined : (JSON.parse(id) as MessageId) };
}
