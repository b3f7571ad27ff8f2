/** How long a value is as JSON, about, without writing it down; counting ends once it is longer than `limit`. */
export function estimateLength(value: unknown, limit: number): number {
  let extent = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && extent <= limit) {
    const node = open.pop();
    extent += typeof node === 'string' ? node.length + 2 : 1;
    if (Array.isArray(node)) extent += pushItems(node, open, limit - extent);
    else if (typeof node === 'object' && node !== null) extent += pushMembers(node, open, limit - extent);
  }
  return extent;
}

function pushItems(list: readonly unknown[], open: unknown[], limit: number): number {
  for (let i = 0; i < list.length && i <= limit; i++) open.push(list[i]);
  return list.length;
}

function pushMembers(holder: object, open: unknown[], limit: number): number {
  let extent = 0;
  for (const key in holder) {
    extent += key.length + 3;
    if (extent > limit) break;
    open.push(holder[key as keyof typeof holder]);
  }
  return extent;
}
