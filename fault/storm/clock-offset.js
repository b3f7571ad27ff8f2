// Loaded into a gateway with --import: adds the offset in a file to the wall clock, as if an operator had set the time.
import { readFileSync } from 'node:fs';

const RealDate = Date;
const POLL_MS = 20;
let offsetMs = 0;

function readOffset() {
  try {
    offsetMs = Number(readFileSync(process.env.TOOLGATE_FAULT_CLOCK, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
}

readOffset();
setInterval(readOffset, POLL_MS).unref();

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offsetMs);
    else super(...args);
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
};
