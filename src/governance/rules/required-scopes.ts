import type { Rule } from '../rule.ts';

/** The caller must hold the scopes that the tool requires: exact names, no wildcards. */
export const requiredScopes: Rule = {
  name: 'required-scopes',
  evaluate({ principal, contract }) {
    const held = new Set(principal.scopes);
    const { requiredScopes: all, requiredScopesAny: any } = contract.authorization;
    const missing = all.filter((scope) => !held.has(scope));
    if (missing.length > 0) return { effect: 'deny', text: `missing required scope: ${missing.join(', ')}` };
    if (any && !any.some((scope) => held.has(scope))) {
      return {
        effect: 'deny',
        text: `one of these scopes is required: ${any.join(', ') || '(none is enough)'}`,
      };
    }
    const required = [...all, ...(any ?? [])];
    return {
      effect: 'allow',
      text: required.length ? 'the caller holds the scopes' : 'the tool requires no scope',
    };
  },
};
