/** The whole corpus on every way out, over the road that callers take. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/contract/errors/fault.ts';
import type { CallEntry } from '../../src/contract/ports/receipt-log.ts';
import type { NativeTool } from '../../src/upstreams/native/upstream.ts';
import { startCollector } from '../telemetry-fixtures.ts';
import { type Case, CORPUS, expected } from './corpus.ts';
import { openedParrot, type Told } from './echo-harness.ts';

const run = promisify(execFile);
const MARKER = /\[redacted:[a-z0-9-]+\]/g;

/** Recall by secrets that are gone, precision by markers that stand for one. */
function measure(way: string, cases: readonly Case[], told: readonly (string | undefined)[]): void {
  let [secrets, gone, markers] = [0, 0, 0];
  for (const [i, one] of cases.entries()) {
    const out = told[i] ?? 'nothing came out';
    const isRight = out === expected(one);
    secrets += one.secrets.length;
    gone += one.secrets.filter(
      ({ start, end }) => isRight || !out.includes(one.text.slice(start, end)),
    ).length;
    markers += (out.match(MARKER)?.length ?? 0) - (one.text.match(MARKER)?.length ?? 0);
  }
  const [recall, precision] = [gone / secrets, gone / markers];
  console.log(`${way}: recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}`);
  expect(told).toHaveLength(cases.length);
  expect(recall).toBeGreaterThanOrEqual(0.99);
  expect(precision).toBeGreaterThanOrEqual(0.95);
}

/** The secrets that can still be read. Short ones also stand in other texts. */
function leaked(cases: readonly Case[], told: string): string[] {
  const secrets = cases.flatMap(({ text, secrets: labelled }) =>
    labelled.map(({ start, end }) => text.slice(start, end)).filter((secret) => secret.length >= 16),
  );
  return secrets.filter(
    (secret) => told.includes(secret) || told.includes(JSON.stringify(secret).slice(1, -1)),
  );
}

/** One text for each rule, and some without a secret. */
const SAMPLE: readonly Case[] = CORPUS.filter(
  ({ secrets: [first] }, i) =>
    (first === undefined && i % 20 === 0) ||
    CORPUS.findIndex(({ secrets }) => secrets[0]?.rule === first?.rule) === i,
);
const PARTS_A_CALL = 14;

function inCalls(cases: readonly Case[]): Case[][] {
  const calls = Array.from({ length: Math.ceil(cases.length / PARTS_A_CALL) }, (_, i) => i * PARTS_A_CALL);
  return calls.map((start) => cases.slice(start, start + PARTS_A_CALL));
}

const WHOLE = { settings: { results: { thresholdTokens: 100_000 } } };
const textsOf = ({ content }: Told): string[] => content.map(({ text }) => text!);

describe('the corpus in an answer', () => {
  it('as text, as structure and as an error of the tool', async () => {
    const { answer } = await openedParrot(WHOLE);
    const told: { text: string[]; structure: string[]; error: string[] } = {
      text: [],
      structure: [],
      error: [],
    };
    for (const cases of inCalls(CORPUS)) {
      const notes = cases.map(({ text }) => text);
      const content = notes.map((text) => ({ type: 'text', text }));
      const both = await answer({ content, structuredContent: { notes } });
      told.text.push(...textsOf(both));
      told.structure.push(...(both.structuredContent!.notes as string[]));
      told.error.push(...textsOf(await answer({ content, isError: true })));
    }
    for (const [way, texts] of Object.entries(told)) measure(way, CORPUS, texts);
  });

  it('as embedded resources, and in what comes with a picture', async () => {
    const { answer } = await openedParrot(WHOLE);
    const told: { resources: string[]; pictures: string[] } = { resources: [], pictures: [] };
    for (const cases of inCalls(CORPUS)) {
      const resources = cases.map(({ text }) => ({ type: 'resource', resource: { uri: 'x:y', text } }));
      const pictures = cases.map(({ text }) => ({
        type: 'image',
        data: 'iVBORw0KGgo=',
        mimeType: 'image/png',
        _meta: { text },
      }));
      const shown = await answer({ content: resources });
      told.resources.push(...shown.content.map(({ resource }) => (resource as { text: string }).text));
      const seen = await answer({ content: pictures });
      told.pictures.push(...seen.content.map(({ _meta }) => (_meta as { text: string }).text));
    }
    for (const [way, texts] of Object.entries(told)) measure(way, CORPUS, texts);
  });
});

const handleOf = ({ structuredContent }: Told, index = 0): string =>
  (structuredContent!.artifacts as { handle: string }[])[index]!.handle;

/** A line that was cut for being long is told as it is. */
function parsedOr(line: string): string {
  try {
    return JSON.parse(line) as string;
  } catch {
    return line;
  }
}

interface Row {
  readonly id: number;
  readonly note: string;
}

describe('the corpus in a long result', () => {
  const rows = CORPUS.map(({ text }, id): Row => ({ id, note: text }));
  const notesIn = (json: string): string[] =>
    (JSON.parse(json) as { rows: Row[] }).rows.map(({ note }) => note);

  it('through every selector', async () => {
    const { answer, view } = await openedParrot();
    const long = await answer({ content: [{ type: 'text', text: JSON.stringify({ rows }, null, 1) }] });
    const handle = handleOf(long);
    expect(leaked(CORPUS, JSON.stringify(long))).toEqual([]);
    const bytes = await view(handle, { bytes: { start: 0, end: 3_000, base64: true } });
    const ways: Record<string, string[]> = {
      head: notesIn((await view(handle, { head: { start: 0, chars: 6_000 } })).join('')),
      lines: notesIn((await view(handle, { lines: { start: 1, end: 100 } })).join('\n')),
      grep: (await view(handle, { grep: { pattern: '"note"' } }))
        .flatMap((page) => page.split('\n'))
        .map((line) => parsedOr(line.replace(/^\d+: *"note": /, ''))),
      rows: (await view(handle, { rows: { path: '/rows' } }))
        .flatMap((page) => page.split('\n').slice(1))
        .map((line) => (JSON.parse(line) as [number, string])[1]),
      jsonpath: (await view(handle, { jsonpath: { path: '$.rows[*].note' } }))
        .flatMap((page) => page.split('\n'))
        .map((line) => JSON.parse(line) as string),
      bytes: notesIn(
        Buffer.concat(bytes.map((page) => Buffer.from(page.slice('base64:'.length), 'base64'))).toString(),
      ),
    };
    for (const [way, texts] of Object.entries(ways)) measure(way, CORPUS, texts);
  });

  it('as bytes that are text, in small pieces too', async () => {
    const { answer, view } = await openedParrot();
    const told: string[] = [];
    for (const cases of inCalls(SAMPLE)) {
      const long = await answer({
        content: cases.map(({ text }) => ({
          type: 'resource',
          resource: { uri: 'x:y', mimeType: 'text/plain', blob: Buffer.from(text).toString('base64') },
        })),
      });
      for (const [i, { text }] of cases.entries()) {
        const chars = Math.max(10, Math.ceil(text.length / 8));
        told.push((await view(handleOf(long, i), { head: { start: 0, chars } })).join(''));
      }
    }
    measure('blobs', SAMPLE, told);
  });

  it('in summaries and facts', async () => {
    const { answer } = await openedParrot();
    for (const one of SAMPLE) {
      const lines = Array.from({ length: 300 }, (_, i) => `2026-01-01T00:00:00Z ERROR ${i} ${one.text}`);
      const told = JSON.stringify(await answer({ content: [{ type: 'text', text: lines.join('\n') }] }));
      expect(told).toContain('Kept whole');
      expect(leaked([one], told)).toEqual([]);
    }
  });
});

const REFUSES: NativeTool = {
  name: 'refuse',
  description: 'Refuses.',
  inputSchema: { type: 'object', properties: { why: { type: 'string' } } },
  run: ({ why }) => {
    throw new Fault('PRECONDITION_FAILED', String(why));
  },
};

describe('the corpus beside answers', () => {
  it('in errors', async () => {
    const { execute } = await openedParrot({ native: { here: [REFUSES] } });
    for (const one of CORPUS) {
      const told = JSON.stringify(await execute({ tool_id: '/here/refuse', args: { why: one.text } }));
      expect(told).toContain('PRECONDITION_FAILED');
      expect(leaked([one], told)).toEqual([]);
    }
  });

  it('in cards, dry runs and what is said of wrong arguments', async () => {
    const tools = SAMPLE.map(({ text }, i) => ({
      name: `tool_${i}`,
      description: text,
      inputSchema: { type: 'object', properties: { a: { const: text, description: text } }, required: ['a'] },
    }));
    const { execute, browse } = await openedParrot({ tools });
    for (const [i, one] of SAMPLE.entries()) {
      const tool = `/parrot/tool_${i}`;
      const told = JSON.stringify([
        await browse({ query: `tool_${i}` }),
        await browse({ path: tool }),
        await execute({ tool_id: tool, dry_run: true }),
        await execute({ tool_id: tool, args: { a: 1 } }),
      ]);
      expect(told).toContain(`tool_${i}`);
      expect(leaked([one], told)).toEqual([]);
    }
  });

  it('in receipts, as the command line prints them, and in telemetry', async () => {
    const collector = await startCollector();
    const { call, home, close } = await openedParrot({ settings: { telemetry: { otlp: collector.url } } });
    const short = CORPUS.filter(({ text }) => text.length <= 200);
    for (const { text } of short) await call(text, {}, { idempotencyKey: text });
    await close();
    writeFileSync(`${home}/toolgate.json`, '{"upstreams":{}}');
    const cli = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    const { stdout } = await run(
      process.execPath,
      [cli, 'calls', 'list', '--json', '--limit', '2000', '--config', 'toolgate.json'],
      {
        cwd: home,
        env: { ...process.env, TOOLGATE_HOME: home },
        maxBuffer: 64_000_000,
      },
    );
    const receipts = (JSON.parse(stdout) as CallEntry[]).map(({ receipt }) => receipt).reverse();
    measure(
      'receipts',
      short,
      receipts.map(({ requested }) => requested),
    );
    measure(
      'keys in receipts',
      short,
      receipts.map(({ idempotencyKey }) => idempotencyKey!),
    );
    expect(collector.spans.length).toBeGreaterThan(short.length);
    expect(leaked(short, collector.payloads)).toEqual([]);
  });

  it('in lines of the log', async () => {
    const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      const { makeLogger } = await import(${module('../../src/app/logger.ts')});
      const { CORPUS } = await import(${module('./corpus.ts')});
      const log = makeLogger('info');
      for (const { text } of CORPUS) log.info({ note: [text] }, text);`;
    const { stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
      maxBuffer: 64_000_000,
    });
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
    const told = lines.map((line) => JSON.parse(line) as { msg: string; note: [string] });
    measure(
      'log messages',
      CORPUS,
      told.map(({ msg }) => msg),
    );
    measure(
      'log fields',
      CORPUS,
      told.map(({ note: [note] }) => note),
    );
  });
});
