import { Fault, type NativeTool } from 'toolgate';

/** A native tool: a contract and a TypeScript function. */
export const worldTime: NativeTool = {
  name: 'world_time',
  version: '1.0.0',
  description: 'The current date and time in a time zone.',
  inputSchema: {
    type: 'object',
    properties: { zone: { type: 'string', description: 'IANA name, such as Europe/Paris' } },
    required: ['zone'],
  },
  outputSchema: {
    type: 'object',
    properties: { zone: { type: 'string' }, time: { type: 'string' } },
    required: ['zone', 'time'],
  },
  hints: { readOnly: true },
  declared: { mutation: 'read_only', timeoutClass: 'interactive' },
  run({ zone }) {
    try {
      const time = new Date().toLocaleString('en-GB', {
        timeZone: String(zone),
        dateStyle: 'full',
        timeStyle: 'long',
      });
      return { zone, time };
    } catch {
      throw new Fault('INVALID_INPUT', 'Unknown time zone. Use an IANA name such as Europe/Paris.');
    }
  },
};
