import type { ClaimResult } from '../../contract/ports/idempotency-store.ts';
import { fromStoredText } from './stored-text.ts';

/** `claimed`: nothing can have happened yet. `intended`: it may have. */
export type ClaimState = 'claimed' | 'intended' | 'done' | 'unknown';

export interface ClaimRow {
  readonly call_id: string;
  readonly input_hash: string;
  readonly state: ClaimState;
  readonly result: string | null;
  readonly is_held: boolean | number;
  readonly is_over: boolean | number;
}

/** What a key that is taken means for the next one who asks. `free`: it may be taken over. `died`: its end is unknown. */
export function claimResultOf(row: ClaimRow): Exclude<ClaimResult, { state: 'acquired' }> | 'free' | 'died' {
  const call = { callId: fromStoredText(row.call_id), inputHash: fromStoredText(row.input_hash) };
  switch (row.state) {
    case 'done':
      if (row.is_over) return 'free';
      return { state: 'done', ...call, result: fromStoredText(row.result ?? '') };
    case 'unknown':
      return { state: 'unknown', ...call };
    case 'claimed':
      return row.is_held ? { state: 'running', ...call } : 'free';
    case 'intended':
      return row.is_held ? { state: 'running', ...call } : 'died';
  }
}
