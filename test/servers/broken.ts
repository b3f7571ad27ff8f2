/** Broken servers: `node broken.ts KIND [LOG]`. */
import { appendFileSync } from 'node:fs';

const [kind = '', log] = process.argv.slice(2);
if (log !== undefined) appendFileSync(log, `start ${process.pid}\n`);

const kinds: Readonly<Record<string, () => void>> = {
  silent: () => void process.stdin.resume(),
  'exits-at-once': () => {
    console.error('reading the licence\nthe licence has expired');
    process.exitCode = 3;
  },
  garbage: () => {
    process.stdin.on('data', () => process.stdout.write('<html>what?</html>\n{"not":"json-rpc"}\n'));
    process.stdin.once('end', () => process.exit(0));
  },
  /** Prints a secret of its environment. */
  'prints-secret': () => {
    console.error(`cannot log in with ${process.env.SECRET_TOKEN}`);
    process.exitCode = 1;
  },
};
kinds[kind]?.();
