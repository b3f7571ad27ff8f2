import { describe, expect, it } from 'vitest';
import { admissionOf, ECHO } from '../../test/recording-deps.ts';
import type { ToolDescriptor } from '../contract/tool/descriptor.ts';
import type { Verification } from '../contract/tool/verification.ts';

const look = (tool: string) => ({ tool, args: {} });
const put = (verification: Verification): ToolDescriptor => ({
  ...ECHO,
  name: 'put',
  declared: { mutation: 'write_reversible', verification },
});
const GET: ToolDescriptor = { ...ECHO, name: 'get', declared: { mutation: 'read_only' } };
const DROP: ToolDescriptor = { ...ECHO, name: 'drop' };

describe('a tool whose check looks with one that writes', () => {
  it.each<[Verification, string]>([
    [{ readBack: { ...look('shop:put@1.0.0'), expect: [] } }, 'its read-back looks with put, which writes'],
    [{ readBack: { ...look('/shop/drop'), expect: [] } }, 'its read-back looks with drop, which writes'],
    [{ probe: look('shop:drop') }, 'its probe looks with drop, which writes'],
  ])('is refused, and the report says why: %j', (verification, reason) => {
    const { contracts, report } = admissionOf([put(verification), GET, DROP]);
    expect(contracts.map(({ name }) => name)).toEqual(['get', 'drop']);
    expect(report.findings).toMatchObject([
      { kind: 'refused', toolId: 'shop:put@1.0.0', code: 'TERMS', reason: expect.stringContaining(reason) },
    ]);
  });

  it('is let in where it only reads, or lies elsewhere, or undoes', () => {
    const { report } = admissionOf([
      put({
        readBack: { ...look('/shop/get'), expect: [] },
        probe: look('/far/away'),
        compensate: look('/shop/drop'),
      }),
      GET,
      DROP,
    ]);
    expect(report).toMatchObject({ registered: 3, findings: [] });
  });
});
