import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Upstream } from '../../contract/ports/upstream.ts';
import { STRICT_ARGUMENTS } from '../../contract/tool/tool.ts';
import type { UpstreamState } from '../../contract/upstream-state.ts';
import { loadConfig } from '../config/load.ts';
import type { CatalogSyncOptions, Source } from './catalog-sync.ts';
import { Startup } from './startup.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const NEVER = Number.POSITIVE_INFINITY;

/** An upstream that is ready, or fails, after a time. */
function source(namespace: string, ms: number, more: { expose?: 'internal'; fails?: boolean } = {}): Source {
  let state: UpstreamState = { kind: 'starting', since: '' };
  const upstream: Upstream = {
    namespace,
    get state() {
      return state;
    },
    start: async () => {
      if (ms === NEVER) return new Promise(() => {});
      await new Promise((resolve) => setTimeout(resolve, ms));
      state = more.fails
        ? { kind: 'invalid', since: '', reason: '' }
        : { kind: 'ready', since: '', protocol: '' };
    },
    session: () => Promise.reject(new Error('not used')),
    stop: async () => {},
  };
  return { upstream, expose: more.expose ?? 'external', argumentRules: STRICT_ARGUMENTS };
}

const SYNC = { settings: loadConfig({ settings: {} }).settings } as CatalogSyncOptions;

/** How many milliseconds a wait takes while these upstreams start; undefined where it lasts for more than a minute. */
async function waited(
  sources: readonly Source[],
  wait: (startup: Startup) => Promise<void>,
): Promise<number | undefined> {
  const startup = new Startup(sources, SYNC);
  void startup.start();
  const began = Date.now();
  let ended: number | undefined;
  void wait(startup).then(() => {
    ended = Date.now() - began;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  return ended;
}

const HUNG = source('hung', NEVER);

describe('Startup', () => {
  it('lets a call wait for its own upstream only', async () => {
    const shop = source('shop', 300);
    expect(await waited([HUNG, shop], (startup) => startup.waitForUpstream('shop'))).toBe(300);
    expect(await waited([HUNG, shop], (startup) => startup.waitForUpstream('hung'))).toBe(10_000);
    expect(await waited([HUNG, shop], (startup) => startup.waitForUpstream('nowhere'))).toBe(0);
  });

  it('does not disclose an internal upstream by a wait', async () => {
    const hidden = source('hidden', NEVER, { expose: 'internal' });
    expect(await waited([hidden], (startup) => startup.waitForUpstream('hidden'))).toBe(0);
  });

  it('waits less than a second for a browse', async () => {
    expect(await waited([source('shop', 300)], (startup) => startup.waitBriefly())).toBe(300);
    expect(await waited([HUNG, source('shop', 300)], (startup) => startup.waitBriefly())).toBe(750);
  });

  it.each<readonly [what: string, sources: readonly Source[], ms: number]>([
    ['until all are ready', [source('a', 300), source('b', 1_200), source('c', 2_100)], 2_100],
    [
      'for the first that is ready, whatever failed before',
      [source('a', 10, { fails: true }), source('b', 4_000)],
      4_000,
    ],
    ['a second more for a slow one', [HUNG, source('a', 300)], 1_300],
    ['ten seconds for none at all', [HUNG], 10_000],
  ])('waits while upstreams become ready in quick succession: %s', async (_, sources, ms) => {
    expect(await waited(sources, (startup) => startup.waitWhileStarting())).toBe(ms);
  });
});
