/** What a model reads of each kind of answer in four families of clients, and what it costs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../src/app/wiring/tokenizer.ts';
import { temporaryFolder } from './gateway.ts';
import { CLIENT_FAMILIES, modelView } from './results/client-families.ts';
import { LOG, PAYLOADS } from './results/payloads.ts';
import {
  type CallOptions,
  openResultHarness,
  type ResultHarness,
  type UpstreamResult,
} from './results/result-harness.ts';
import { officialServer } from './servers/spawn.ts';
import { readStructured } from './structured.ts';

const asText = (text: string): UpstreamResult => ({ content: [{ type: 'text', text }] });

/** Markdown of exactly this many tokens. */
function notesOf(tokens: number): string {
  let notes = '# Notes\n';
  for (let line = 1; countTokens(notes) < tokens; line++)
    notes += `Line ${line}: the quick brown fox jumps over the lazy dog and rests.\n`;
  while (countTokens(notes) > tokens) notes = notes.slice(0, -1);
  return notes;
}

const NOTES = notesOf(1_071);
const LONG_NOTES = notesOf(5_000);

const folder = temporaryFolder();
let harness: ResultHarness;
beforeAll(async () => {
  const files = { 'log.txt': PAYLOADS.log, 'notes.md': NOTES, 'long.md': LONG_NOTES };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  harness = await openResultHarness(
    {},
    {
      files: officialServer('filesystem', folder),
      everything: { ...officialServer('everything', 'stdio'), tolerantArguments: true },
    },
  );
});
afterAll(() => harness.close());

type Call = readonly [metaTool: string, args: Readonly<Record<string, unknown>>];

interface Kind {
  readonly call: () => Call | Promise<Call>;
  /** What a model must be able to read of the answer. */
  readonly reads: readonly (string | RegExp)[];
}

const READ = '/files/read_text_file';
const readFile = (name: string): Promise<CallToolResult> =>
  harness.call('tool_execute', { tool_id: READ, args: { path: join(folder, name) } });
const handleOfLog = async (): Promise<string> =>
  /art_\w+/.exec(modelView('text only', await harness.execute(asText(PAYLOADS.log))))![0];

const KINDS: Readonly<Record<string, Kind>> = {
  browse: {
    call: () => ['tool_browse', { query: 'read a file' }],
    reads: [/^files:read_text_file#\w{8}\(path\): Read the complete contents/m, '!read-only'],
  },
  path: {
    call: () => ['tool_browse', { path: '/' }],
    reads: ['/files (namespace): 14 tools', '/shop (namespace): 1 tool'],
  },
  whole: {
    call: () => ['tool_execute', { tool_id: '/everything/echo', args: { message: 'hi' } }],
    reads: ['Echo: hi'],
  },
  summary: {
    call: () => ['tool_execute', { tool_id: READ, args: { path: join(folder, 'log.txt') } }],
    reads: ['tool_view', /^art_\w{24} text\/plain 14206 bytes: grep, lines/m],
  },
  view: {
    call: async () => ['tool_view', { handle: await handleOfLog(), selector: { lines: { end: 9 } } }],
    reads: [LOG[0]!.text, '180 lines in total', 'next: {"lines":{"start":10'],
  },
  error: {
    call: () => ['tool_execute', { tool_id: READ, args: { pth: 'x' } }],
    reads: [
      'ARGS_INVALID: /: expected no property "pth"; did you mean "path"?',
      'Not retryable. Correct the arguments',
      'property \\"path\\"',
      'signature: read_text_file(path: string',
    ],
  },
  'dry run': {
    call: () => ['tool_execute', { tool_id: READ, dry_run: true }],
    reads: [
      'the tool was not called',
      'effect: none (read_only',
      '"required":["path"]',
      'Only works within allowed directories.',
    ],
  },
  image: {
    call: () => ['tool_execute', { tool_id: '/everything/get-tiny-image', args: {} }],
    reads: ["Here's the image you requested:", '[image]'],
  },
};

async function answerOf(kind: string, options?: CallOptions): Promise<CallToolResult> {
  const [metaTool, args] = await KINDS[kind]!.call();
  return harness.call(metaTool, args, options);
}

describe.each(Object.keys(KINDS))('%s', (kind) => {
  it.each(CLIENT_FAMILIES)('can be read in a client that shows %s', async (family) => {
    const seen = modelView(family, await answerOf(kind));
    for (const part of KINDS[kind]!.reads) expect(seen).toMatch(part);
  });

  it('is the same on the fast path and through the SDK', async () => {
    const [fast, bySdk] = await Promise.all([answerOf(kind), answerOf(kind, { usesSdk: true })]);
    const withoutTrace = (text: string): string => text.replace(/[\da-f]{32}/g, '');
    expect(withoutTrace(modelView('both', bySdk))).toBe(withoutTrace(modelView('both', fast)));
    expect(Object.keys(bySdk._meta ?? {})).toEqual(Object.keys(fast._meta ?? {}));
  });
});

describe.each(CLIENT_FAMILIES)('a file in a client that shows %s', (family) => {
  it('passes whole with 1,071 tokens, although the server sends its text twice', async () => {
    const seen = modelView(family, await readFile('notes.md'));
    expect(seen).toContain(family === 'structure instead' ? JSON.stringify(NOTES) : NOTES);
  });

  it('can be read to its end, page by page, by what the model reads', async () => {
    const summary = modelView(family, await readFile('long.md'));
    expect(summary).toMatch(/^text of \d+ lines\n# Notes\nLine 1: /);
    const [handle, ...others] = summary.match(/art_\w{24}/g)!;
    expect(others).toEqual([]);
    const pages: string[] = [];
    for (let selector: unknown = { head: {} }; selector !== undefined; ) {
      const page = modelView(family, await harness.view(handle!, selector));
      const [, text, next] = /^(.*)\n\(\d+ chars in total; (?:next: (.*)|this is the end)\)$/s.exec(page)!;
      pages.push(text!);
      selector = next === undefined ? undefined : JSON.parse(next);
    }
    expect(pages.join('')).toBe(LONG_NOTES);
    expect(pages.length).toBeGreaterThan(3);
  });
});

describe('token costs', () => {
  const payload = (name: keyof typeof PAYLOADS) => (): Promise<CallToolResult> =>
    harness.execute(asText(PAYLOADS[name]));
  const COSTS: Readonly<Record<string, () => Promise<CallToolResult>>> = {
    'acknowledgement, 34 characters': payload('acknowledgement'),
    'post, 77 characters': payload('post'),
    'ticket, 238 characters': payload('ticket'),
    'log, 14,206 characters': payload('log'),
    'rowset, 16,507 characters': payload('rowset'),
    'file of 1,071 tokens': () => readFile('notes.md'),
    'first page of a file of 5,000 tokens': async () => {
      const [handle] = /art_\w{24}/.exec(modelView('text only', await readFile('long.md')))!;
      return harness.view(handle);
    },
    'browse, 10 cards': () => answerOf('browse'),
    error: () => answerOf('error'),
    'dry run without arguments': () => answerOf('dry run'),
  };

  /** Cells are `before → after`, or `before* → after` where a model could not read the answer before. */
  const documented = new Map(
    readFileSync(new URL('../docs/reference/gateway-surface.md', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.includes(' → '))
      .map((line) => line.slice(2, -2).split(' | '))
      .map(([answer, ...cells]) => [answer!, cells] as const),
  );
  const numberIn = (text: string | undefined): number => Number(text?.replace(/[*,]/g, ''));

  it.each(Object.keys(COSTS))('are those of docs/reference/gateway-surface.md: %s', async (name) => {
    const answer = await COSTS[name]!();
    const after = CLIENT_FAMILIES.map((family) => countTokens(modelView(family, answer)));
    const cells = (documented.get(name) ?? []).map((cell) => cell.split(' → '));
    expect(cells.map(([, cost]) => numberIn(cost))).toEqual(after);
    for (const [before, cost] of cells) {
      if (!before!.endsWith('*')) expect(numberIn(cost)).toBeLessThanOrEqual(numberIn(before));
    }
  });

  it('are documented for no other answer', () => {
    expect([...documented.keys()]).toEqual(Object.keys(COSTS));
  });
});

it.each([false, true])(
  'arguments sent as JSON in a string are repaired, through the SDK: %j',
  async (usesSdk) => {
    const args = { tool_id: '/everything/echo', args: '{"message":"hi"}' };
    expect(modelView('text only', await harness.call('tool_execute', args, { usesSdk }))).toBe('Echo: hi');
  },
);

describe('the structured form', () => {
  const OWN = ['browse', 'path', 'summary', 'view', 'error', 'dry run'];

  it.each(OWN)('of %s is in _meta only', async (kind) => {
    const answer = await answerOf(kind);
    expect(answer).not.toHaveProperty('structuredContent');
    expect(readStructured(answer)).toBeTypeOf('object');
  });

  it.each(
    OWN.flatMap((kind) =>
      [false, true].map(
        (usesSdk) => [kind, usesSdk ? 'through the SDK' : 'on the fast path', usesSdk] as const,
      ),
    ),
  )('of %s is in structuredContent too where the request asks for it, %s', async (kind, _, usesSdk) => {
    const answer = await answerOf(kind, { usesSdk, meta: { 'toolgate/structured': true } });
    expect(answer.structuredContent).toEqual(readStructured(answer));
    expect(modelView('text only', answer).length).toBeGreaterThan(50);
  });

  it('is in every structuredContent where the configuration says so', async () => {
    const always = await openResultHarness({ server: { port: 0, structuredContent: 'always' } });
    for (const usesSdk of [false, true]) {
      const answer = await always.call('tool_browse', { path: '/' }, { usesSdk });
      expect(answer.structuredContent).toHaveProperty('cards');
    }
    await always.close();
  });

  it('has the code of an error that the tool reported, whose own answer stays as it was sent', async () => {
    const sent = { ...asText('no such order'), structuredContent: { reason: 'x' }, isError: true };
    const meta = { 'toolgate/structured': true };
    const answer = await harness.execute(sent, {}, { meta });
    expect(answer).toMatchObject(sent);
    expect(readStructured(answer)).toMatchObject({ error: 'UPSTREAM_ERROR', retryable: false });
    const unasked = await harness.execute(sent);
    expect(unasked._meta?.['toolgate/envelope']).toMatchObject({ error: 'UPSTREAM_ERROR', retryable: false });
    const plain = await harness.execute({ ...asText('no such order'), isError: true }, {}, { meta });
    expect(plain).not.toHaveProperty('structuredContent');
    const long = await harness.execute({ ...asText(PAYLOADS.log), isError: true });
    expect(readStructured(long)).toMatchObject({
      error: 'UPSTREAM_ERROR',
      artifacts: [{ mediaType: 'text/plain' }],
    });
  });

  it('is never taken from an upstream', async () => {
    const forged = { 'toolgate/structured': { error: 'forged' }, 'toolgate/envelope': {}, own: 1 };
    const { _meta } = await harness.execute({ ...asText('short'), _meta: forged });
    expect(Object.keys(_meta!)).toEqual(['own', 'toolgate/envelope']);
    expect(_meta).toHaveProperty(['toolgate/envelope', 'call_id']);
  });
});
