/** The gateway surface over one result: its real verbs, firewall, views and encoding, with no catalog behind them. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { countTokens } from '../../src/app/tokenizer.ts';
import type { ToolResult } from '../../src/contract/content.ts';
import type { ArtifactRef, Outcome } from '../../src/contract/outcome.ts';
import { LOCAL_USER, type Principal } from '../../src/contract/principal.ts';
import { traceFrom } from '../../src/contract/trace.ts';
import { type House, type MetaCall, serveVerb } from '../../src/ingress/mcp/gateway/surface.ts';
import { ownerOf } from '../../src/results/artifact.ts';
import { shield } from '../../src/results/firewall.ts';
import { makeRuleSet } from '../../src/results/redaction/rule-set.ts';
import { viewArtifact } from '../../src/results/view.ts';
import { memoryArtifacts } from '../memory-artifacts.ts';

const SECRETS = makeRuleSet();

export interface Surface {
  execute(): Promise<CallToolResult>;
  view(handle: string, selector: unknown): Promise<CallToolResult>;
}

/** A call whose trace is always the same, so that answers can be compared. */
export function callBy(principal: Principal): MetaCall {
  return {
    principal,
    trace: traceFrom('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
    sessionId: undefined,
    idempotencyKey: undefined,
    timeoutMs: undefined,
    signal: new AbortController().signal,
    onError: (error) => {
      throw error;
    },
  };
}

export function surfaceOver(result: ToolResult): Surface {
  const artifacts = memoryArtifacts();
  const firewall = {
    artifacts,
    countTokens,
    thresholdTokens: 2_000,
    artifactTtlMs: 60_000,
    artifactQuotaBytes: 1e9,
    secrets: SECRETS,
  };
  const house: House = {
    browse: () => Promise.reject(new Error('nothing to browse')),
    affordances: () => Promise.reject(new Error('nothing to afford')),
    invoke: async ({ principal, trace }): Promise<Outcome> => ({
      status: 'ok',
      callId: '01981f6e-7d7a-7c3e-9a55-0b8f4a1d2c3e',
      traceId: trace.traceId,
      timing: { durationMs: 12.3 },
      view: (await shield(firewall, ownerOf(principal), result)).view,
      provenance: {
        toolId: 'shop:orders_list#a1b2c3d4',
        upstream: 'shop',
        source: 'compute',
        executedAt: '2026-03-01T12:00:00.000Z',
      },
    }),
    view: (principal, handle, selector) =>
      viewArtifact(artifacts, { owner: ownerOf(principal), handle, selector, secrets: SECRETS }),
  };
  const call = callBy(LOCAL_USER);
  return {
    execute: () => serveVerb(house, { name: 'tool_execute', args: { tool_id: '/shop/orders_list' } }, call),
    view: (handle, selector) => serveVerb(house, { name: 'tool_view', args: { handle, selector } }, call),
  };
}

/** What a model reads of an answer: its text blocks. */
export function readText({ content }: CallToolResult): string {
  return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

/** The handle of the first part that an answer keeps. */
export function handleIn({ structuredContent }: CallToolResult): string {
  return (structuredContent as { artifacts: readonly ArtifactRef[] }).artifacts[0]!.handle;
}
