/** A tool that a rule denies does not exist for its caller, whatever the caller asks. */
import { describe, expect, it } from 'vitest';
import { createCaller } from '../src/contract/call/caller.ts';
import { Fault } from '../src/contract/errors/fault.ts';
import type { Rule } from '../src/governance/rule.ts';
import type { NativeTool } from '../src/upstreams/native/upstream.ts';
import { EVERYTHING, machineWith } from './cli.ts';
import { openedGateway } from './gateway.ts';

const TOOLS = 2_000;

function toolNamed(name: string, description = 'Sends an invoice to a customer.'): NativeTool {
  return {
    name,
    version: '1.0.0',
    description,
    inputSchema: {
      type: 'object',
      properties: { zebra_field: { type: 'string' } },
      required: ['zebra_field'],
    },
    declared: { mutation: 'read_only', timeoutClass: 'interactive' },
    run: () => ({ done: true }),
  };
}

const hideSecret: Rule = {
  name: 'hide-secret',
  evaluate: ({ contract }) =>
    contract.name.includes('payroll') ? { effect: 'deny', text: 'payroll is restricted' } : undefined,
};

/** Words that only the hidden tool contains. */
const TRACES = /payroll|zebra_field|restricted/i;

const VISIBLE = { ...toolNamed('send_invoice'), inputSchema: { type: 'object' } };
const HIDDEN = toolNamed('payroll_export', 'Exports the payroll.');
const native = { office: [VISIBLE, HIDDEN] };
const hiddenBy = (tools: object) => () => openedGateway({}, { native, settings: { tools } });

const WAYS_TO_HIDE: readonly (readonly [string, () => ReturnType<typeof openedGateway>])[] = [
  ['a rule denies', () => openedGateway({}, { native, rules: [hideSecret] })],
  ['the config switches off', hiddenBy({ 'office:payroll_export': { enabled: false } })],
  ['the config switches off by a pattern', hiddenBy({ '*:payroll_*': { enabled: false } })],
  ['the config exposes only internally', hiddenBy({ 'office:payroll_export@1.0.0': { expose: 'internal' } })],
  ['needs a scope by the config', hiddenBy({ 'office:payroll*': { requiredScopes: ['restricted'] } })],
];

describe.each(WAYS_TO_HIDE)('a tool that %s', (_way, open) => {
  it.each<
    [string, (caller: ReturnType<typeof createCaller>, opened: Awaited<ReturnType<typeof open>>) => unknown]
  >([
    ['a query', (caller, { gateway }) => gateway.api.browse(caller, { query: 'export the payroll' })],
    ['the root path', (caller, { gateway }) => gateway.api.browse(caller, { path: '/' })],
    ['its namespace', (caller, { gateway }) => gateway.api.browse(caller, { path: '/office' })],
    ['its own path', (caller, { gateway }) => gateway.api.browse(caller, { path: '/office/payroll_export' })],
    [
      'affordances',
      (caller, { gateway }) => gateway.api.affordances(caller, { objective: 'export', budget: 900 }),
    ],
    ['a call by path', (_, { call }) => call('/office/payroll_export')],
    ['a call by id', (_, { call }) => call('office:payroll_export@1.0.0')],
    ['a call by a similar name', (_, { call }) => call('office:payrol')],
    ['a call with wrong arguments', (_, { call }) => call('office:payroll_export@1.0.0', { x: 1 })],
    ['a dry run', (_, { call }) => call('office:payroll_export@1.0.0', {}, { dryRun: true })],
    [
      'a dry run that asks for the schema',
      (caller, { gateway }) =>
        gateway.api.invoke({ caller, tool: 'office:payroll_export@1.0.0', args: undefined, dryRun: true }),
    ],
    ['the list of upstreams', (caller, { gateway }) => gateway.api.upstreams(caller)],
    ['/healthz', async (_, { url }) => (await fetch(`${url}/healthz`)).json()],
  ])('leaves no trace in the answer to %s', async (_, ask) => {
    const opened = await open();
    const caller = createCaller(opened.gateway.localUser);
    let answer: unknown;
    try {
      answer = await ask(caller, opened);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      answer = { message: error.message, details: error.details };
    }
    expect(JSON.stringify(answer)).not.toMatch(TRACES);
  });

  it('is answered like a tool that does not exist', async () => {
    const { call } = await open();
    const errorOf = async (tool: string, more = {}) => {
      const outcome = await call(tool, {}, more);
      return outcome.status === 'failed' ? outcome.error : outcome.status;
    };
    for (const more of [{}, { dryRun: true }]) {
      expect(await errorOf('/office/payroll_export', more)).toEqual(await errorOf('/office/absent', more));
    }
  });

  it('counts nowhere', async () => {
    const { gateway, url } = await open();
    const caller = createCaller(gateway.localUser);
    expect(gateway.api.upstreams(caller)).toMatchObject([{ namespace: 'office', tools: 1 }]);
    expect((await gateway.api.browse(caller, { path: '/' })).text).toContain('1 tool');
    expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ upstreams: [{ tools: 1 }] });
  });
});

describe('the operator', () => {
  const [[, deny], [, switchOff]] = WAYS_TO_HIDE as [
    (typeof WAYS_TO_HIDE)[number],
    (typeof WAYS_TO_HIDE)[number],
  ];

  it('sees a denied tool in the counts, and a tool that is switched off in the report', async () => {
    expect((await deny()).gateway.upstreams()).toMatchObject([{ namespace: 'office', tools: 2 }]);
    const { gateway } = await switchOff();
    expect(gateway.upstreams()).toMatchObject([{ namespace: 'office', tools: 1 }]);
    expect(gateway.snapshot().reports).toMatchObject([
      {
        offered: 2,
        registered: 1,
        findings: [
          {
            kind: 'left_out',
            toolId: 'office:payroll_export@1.0.0',
            reason: 'switched off by tools."office:payroll_export"',
          },
        ],
      },
    ]);
  });

  it('gets a receipt that tells what was denied and why', async () => {
    const { call, receipts } = await deny();
    await call('/office/payroll_export');
    expect(await receipts()).toMatchObject([
      {
        toolId: 'office:payroll_export@1.0.0',
        errorCode: 'TOOL_NOT_FOUND',
        decision: {
          effect: 'deny',
          reasons: expect.arrayContaining([expect.objectContaining({ rule: 'hide-secret' })]),
        },
      },
    ]);
  });
});

it(`evaluates no rule twice for one contract while browsing ${TOOLS} tools by path`, async () => {
  const evaluations = new Map<string, number>();
  const counting: Rule = {
    name: 'counting',
    evaluate: ({ contract }) => {
      evaluations.set(contract.id, (evaluations.get(contract.id) ?? 0) + 1);
      return undefined;
    },
  };
  const tools = Array.from({ length: TOOLS }, (_, i) => toolNamed(`tool_${i}`, `Handles case number ${i}.`));
  const { gateway } = await openedGateway({}, { native: { many: tools }, rules: [counting] });
  const caller = createCaller(gateway.localUser);
  for (const path of ['/', '/many', '/many', '/']) await gateway.api.browse(caller, { path });
  await gateway.api.browse(caller, { query: 'handle a case' });
  await gateway.api.affordances(caller, { objective: 'handle a case', budget: 2_000 });
  expect(evaluations.size).toBe(TOOLS);
  expect(Math.max(...evaluations.values())).toBe(1);
});

it('shows a tool without the needed scope in no command, except with --all', async () => {
  const { run } = machineWith({
    'toolgate.json': {
      profile: 'team',
      identity: { localScopes: ['tools:read'] },
      upstreams: { everything: EVERYTHING },
    },
  });
  const idsOf = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await run(['catalog', 'list', '--json', ...args]);
    return (JSON.parse(stdout) as { tools: { id: string }[] }).tools.map(({ id }) => id);
  };
  const visible = await idsOf();
  const [hidden] = (await idsOf('--all')).filter((id) => !visible.includes(id));
  const name = /:([^@#]+)/.exec(hidden!)![1]!;
  expect(visible.length).toBeGreaterThan(0);
  for (const command of [
    ['browse', name],
    ['browse', '/everything'],
    ['call', hidden!],
    ['call', `/everything/${name}`, '--dry-run'],
    ['catalog', 'show', hidden!],
    ['affordances', name, '--budget', '2000'],
  ]) {
    const { stdout, stderr } = await run(command);
    const answer = `${stdout}${stderr}`.replaceAll(hidden!, '').replaceAll(`/everything/${name}`, '');
    expect(answer, command.join(' ')).not.toContain(name);
  }
});
