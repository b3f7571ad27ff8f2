/** One command for an exchangeable server: `node either.ts FILE …` runs the server whose name is in FILE. */
import { readFileSync } from 'node:fs';

const [file = ''] = process.argv.slice(2);
const [server, ...args] = readFileSync(file, 'utf8').trim().split(' ');
process.argv.push(...args);
await import(`./${server}.ts`);
