/** The six phases of a call, in their fixed order. Every other list of phases derives from this tuple. */
export const PHASES = ['request', 'validate', 'authorize', 'execute', 'verify', 'return'] as const;

export type Phase = (typeof PHASES)[number];
