/** The approximate length of a value as JSON, without serializing it. Counting stops above `limit`. */
export function estimateLength(value: unknown, limit: number): number {
  let length = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && length <= limit) {
    const node = open.pop();
    length += typeof node === 'string' ? node.length + 2 : 1;
    if (Array.isArray(node)) length += pushItems(node, open, limit - length);
    else if (typeof node === 'object' && node !== null) length += pushMembers(node, open, limit - length);
  }
  return length;
}

function pushItems(list: readonly unknown[], open: unknown[], limit: number): number {
  for (let i = 0; i < list.length && i <= limit; i++) open.push(list[i]);
  return list.length;
}

function pushMembers(holder: object, open: unknown[], limit: number): number {
  let length = 0;
  for (const key in holder) {
    length += key.length + 3;
    if (length > limit) break;
    open.push(holder[key as keyof typeof holder]);
  }
  return length;
}
