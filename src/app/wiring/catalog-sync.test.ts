import { expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { STRICT_ARGUMENTS } from '../../contract/tool/tool.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';
import { makeRuleSet } from '../../redaction/rule-set.ts';
import { NativeUpstream } from '../../upstreams/native/upstream.ts';
import { loadConfig } from '../config/load.ts';
import type { Logger } from '../logger.ts';
import { syncCatalog } from './catalog-sync.ts';

const since = '2026-01-01T00:00:00Z';
const READY: UpstreamState = { kind: 'ready', since, protocol: '2025-11-25' };
const STOPPED: UpstreamState = { kind: 'stopped', since };

function unavailable(reason: string): UpstreamState {
  return { kind: 'unavailable', since, reason, retryAt: undefined };
}

it('warns once when an upstream is lost and once when it is back, not at every attempt', () => {
  const levels: string[] = [];
  const record = (level: string) => () => void levels.push(level);
  const log = { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
  const listener = syncCatalog(
    { upstream: new NativeUpstream('shop', []), expose: 'external', argumentRules: STRICT_ARGUMENTS },
    {
      catalog: new Catalog({ onInvalid: 'report' }),
      settings: loadConfig({ settings: {} }).settings,
      log: log as unknown as Logger,
      secrets: makeRuleSet(),
      stateChanged: () => {},
    },
  );
  const steps: readonly (readonly [UpstreamState, string])[] = [
    [{ kind: 'starting', since }, 'info'],
    [READY, 'info'],
    [unavailable('the connection was lost'), 'warn'],
    [unavailable('command not found'), 'info'],
    [unavailable('command not found'), 'debug'],
    [unavailable('command not found'), 'debug'],
    [{ kind: 'needs_credentials', since, reason: 'no token' }, 'warn'],
    [READY, 'warn'],
    [STOPPED, 'info'],
  ];
  for (const [state] of steps) listener.stateChanged(state);
  expect(levels).toEqual(steps.map(([, level]) => level));
});
