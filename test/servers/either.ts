/** One command behind which the server can be exchanged: `node either.ts FILE …` runs the server that FILE names. */
import { readFileSync } from 'node:fs';

const [file = ''] = process.argv.slice(2);
const [server, ...args] = readFileSync(file, 'utf8').trim().split(' ');
process.argv.push(...args);
await import(`./${server}.ts`);
