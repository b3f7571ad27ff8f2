import { Fault, type NativeTool } from 'toolgate';

/** A native tool: plain TypeScript with a contract of its own. */
export const worldTime: NativeTool = {
  name: 'world_time',
  version: '1.0.0',
  description: 'The present date and time in a time zone of the world.',
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
      throw new Fault('INVALID_INPUT', 'There is no such time zone. Use an IANA name such as Europe/Paris.');
    }
  },
};
