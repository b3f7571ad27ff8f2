import { EXIT } from './exit-codes.ts';
import { reportFailure } from './failure.ts';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

const terminal: Terminal = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };

// A closed pipe (`toolgate catalog list | head`) is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
  });
}

try {
  await createProgram(terminal, (code) => {
    process.exitCode = code;
  }).parseAsync();
} catch (thrown) {
  process.exitCode = reportFailure(terminal, thrown, process.argv.includes('--json'));
}
