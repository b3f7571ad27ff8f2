import { hash } from 'node:crypto';
import type { IntegrityCheck } from '../../contract/tool/verification.ts';
import { type Known, resolveBinding } from './bindings.ts';

/** The reason of the first check that fails; undefined where all hold. */
export function brokenIntegrity(checks: readonly IntegrityCheck[], known: Known): string | undefined {
  for (const check of checks) {
    const of = resolveBinding(check.of, known);
    const expected = resolveBinding(check.equals, known);
    if (check.kind === 'sha256') {
      const actual = typeof of === 'string' ? hash('sha256', of) : undefined;
      if (actual !== expected) return 'the text does not have the expected digest';
    } else if (!Array.isArray(of) || of.length !== expected)
      return 'the number of items is not the expected one';
  }
  return undefined;
}
