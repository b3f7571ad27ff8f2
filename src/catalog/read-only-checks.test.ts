import { describe, expect, it } from 'vitest';
import { admissionOf, ECHO } from '../../test/recording-deps.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import type { Verification } from '../contract/tool/verification.ts';

const check = (tool: string) => ({ tool, args: {} });
const put = (verification: Verification): ToolDescriptor => ({
  ...ECHO,
  name: 'put',
  declared: { mutation: 'write_reversible', verification },
});
const GET: ToolDescriptor = { ...ECHO, name: 'get', declared: { mutation: 'read_only' } };
const DROP: ToolDescriptor = { ...ECHO, name: 'drop' };

describe('findCheckThatWrites', () => {
  it.each<[Verification, string]>([
    [{ readBack: { ...check('shop:put@1.0.0'), expect: [] } }, 'its read-back calls put, which writes'],
    [{ readBack: { ...check('/shop/drop'), expect: [] } }, 'its read-back calls drop, which writes'],
    [{ probe: check('shop:drop') }, 'its probe calls drop, which writes'],
  ])('refuses a tool whose check calls a tool that writes: %j', (verification, reason) => {
    const { contracts, report } = admissionOf([put(verification), GET, DROP]);
    expect(contracts.map(({ name }) => name)).toEqual(['get', 'drop']);
    expect(report.findings).toMatchObject([
      { kind: 'refused', toolId: 'shop:put@1.0.0', code: 'TERMS', reason: expect.stringContaining(reason) },
    ]);
  });

  it('accepts a check that reads or calls another upstream, and a compensation that writes', () => {
    const { report } = admissionOf([
      put({
        readBack: { ...check('/shop/get'), expect: [] },
        probe: check('/far/away'),
        compensate: check('/shop/drop'),
      }),
      GET,
      DROP,
    ]);
    expect(report).toMatchObject({ registered: 3, findings: [] });
  });
});
