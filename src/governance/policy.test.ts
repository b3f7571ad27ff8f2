import { expect, it } from 'vitest';
import { contractOf } from '../../test/recording-deps.ts';
import { LOCAL_USER } from '../contract/call/principal.ts';
import { maySee } from './may-see.ts';

it('external tools exist for a caller, internal ones do not, whoever it is', () => {
  const contract = contractOf({});
  const anybody = { ...LOCAL_USER, roles: ['admin'], scopes: ['tools:write'] };
  for (const principal of [LOCAL_USER, anybody]) {
    expect(maySee({ principal, contract })).toBe(true);
    expect(maySee({ principal, contract: { ...contract, visibility: 'internal' } })).toBe(false);
  }
});
