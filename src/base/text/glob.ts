/** Compiles a pattern in which `*` stands for any characters, also for none. A pattern without `*` matches only itself. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [start = '', ...middle] = pattern.split('*');
  const end = middle.pop();
  if (end === undefined) return (text) => text === pattern;
  return (text) => {
    const limit = text.length - end.length;
    if (limit < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
    let from = start.length;
    for (const part of middle) {
      const at = text.indexOf(part, from);
      if (at === -1 || at + part.length > limit) return false;
      from = at + part.length;
    }
    return true;
  };
}
