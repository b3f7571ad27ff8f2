import type { ClaimResult } from '../../contract/ports/idempotency-store.ts';
import { fromStoredText } from './stored-text.ts';

/** `claimed`: no effect can have happened yet. `intended`: it may have happened. */
export type ClaimState = 'claimed' | 'intended' | 'done' | 'unknown';

export interface ClaimRow {
  readonly call_id: string;
  readonly input_hash: string;
  readonly state: ClaimState;
  readonly result: string | null;
  /** Whether its process is alive. */
  readonly is_held: boolean | number;
  /** Whether the window of its result is over. */
  readonly is_expired: boolean | number;
}

/** What an existing claim means for the next one. `free`: the key may be taken over. `died`: the outcome is unknown. */
export function claimResultOf(row: ClaimRow): Exclude<ClaimResult, { state: 'acquired' }> | 'free' | 'died' {
  switch (row.state) {
    case 'done':
      if (row.is_expired) return 'free';
      return { state: 'done', ...callOf(row), result: fromStoredText(row.result ?? '') };
    case 'unknown':
      return unknownResultOf(row);
    case 'claimed':
      return row.is_held ? { state: 'running', ...callOf(row) } : 'free';
    case 'intended':
      return row.is_held ? { state: 'running', ...callOf(row) } : 'died';
  }
}

export function unknownResultOf(row: ClaimRow): Extract<ClaimResult, { state: 'unknown' }> {
  return { state: 'unknown', ...callOf(row) };
}

function callOf({ call_id, input_hash }: ClaimRow): { readonly callId: string; readonly inputHash: string } {
  return { callId: fromStoredText(call_id), inputHash: fromStoredText(input_hash) };
}
