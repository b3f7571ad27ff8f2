/** The whole corpus through every output of the gateway, over the MCP endpoint that callers use. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/contract/errors/fault.ts';
import type { CallEntry } from '../../src/contract/ports/receipt-log.ts';
import type { NativeTool } from '../../src/upstreams/native/upstream.ts';
import { readStructured } from '../structured.ts';
import { startCollector } from '../telemetry-fixtures.ts';
import { type Case, CORPUS, redactByLabels } from './corpus.ts';
import { type EchoedResult, startEchoHarness } from './echo-harness.ts';

const run = promisify(execFile);
const MARKER = /\[redacted:[a-z0-9-]+\]/g;

/** Recall: share of the secrets that are redacted. Precision: share of the markers that replace a secret. */
function measure(output: string, cases: readonly Case[], received: readonly (string | undefined)[]): void {
  let [secrets, redacted, markers] = [0, 0, 0];
  for (const [i, one] of cases.entries()) {
    const text = received[i] ?? 'no output';
    const isExact = text === redactByLabels(one);
    secrets += one.secrets.length;
    redacted += one.secrets.filter(
      ({ start, end }) => isExact || !text.includes(one.text.slice(start, end)),
    ).length;
    markers += (text.match(MARKER)?.length ?? 0) - (one.text.match(MARKER)?.length ?? 0);
  }
  const [recall, precision] = [redacted / secrets, redacted / markers];
  console.log(`${output}: recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}`);
  expect(received).toHaveLength(cases.length);
  expect(recall).toBeGreaterThanOrEqual(0.99);
  expect(precision).toBeGreaterThanOrEqual(0.95);
}

/** Finds secrets that remain readable. Short ones also occur in other texts, so they do not count. */
function findLeaks(cases: readonly Case[], output: string): string[] {
  const secrets = cases.flatMap(({ text, secrets: labelled }) =>
    labelled.map(({ start, end }) => text.slice(start, end)).filter((secret) => secret.length >= 16),
  );
  return secrets.filter(
    (secret) => output.includes(secret) || output.includes(JSON.stringify(secret).slice(1, -1)),
  );
}

/** One text for each rule, and some without a secret. */
const SAMPLE: readonly Case[] = CORPUS.filter(
  ({ secrets: [first] }, i) =>
    (first === undefined && i % 20 === 0) ||
    CORPUS.findIndex(({ secrets }) => secrets[0]?.rule === first?.rule) === i,
);
const PARTS_PER_CALL = 14;

function splitIntoCalls(cases: readonly Case[]): Case[][] {
  const calls = Array.from(
    { length: Math.ceil(cases.length / PARTS_PER_CALL) },
    (_, i) => i * PARTS_PER_CALL,
  );
  return calls.map((start) => cases.slice(start, start + PARTS_PER_CALL));
}

const INLINE = { settings: { results: { thresholdTokens: 100_000 } } };
const textsOf = ({ content }: EchoedResult): string[] => content.map(({ text }) => text!);

describe('a tool result with the corpus', () => {
  it('is redacted as text, as structured content and as a tool error', async () => {
    const { echo } = await startEchoHarness(INLINE);
    const received: { text: string[]; structure: string[]; error: string[] } = {
      text: [],
      structure: [],
      error: [],
    };
    for (const cases of splitIntoCalls(CORPUS)) {
      const notes = cases.map(({ text }) => text);
      const content = notes.map((text) => ({ type: 'text', text }));
      const both = await echo({ content, structuredContent: { notes } });
      received.text.push(...textsOf(both));
      received.structure.push(...(both.structuredContent!.notes as string[]));
      received.error.push(...textsOf(await echo({ content, isError: true })));
    }
    for (const [output, texts] of Object.entries(received)) measure(output, CORPUS, texts);
  });

  it('is redacted in embedded resources and in the metadata of images', async () => {
    const { echo } = await startEchoHarness(INLINE);
    const received: { resources: string[]; images: string[] } = { resources: [], images: [] };
    for (const cases of splitIntoCalls(CORPUS)) {
      const resources = cases.map(({ text }) => ({ type: 'resource', resource: { uri: 'x:y', text } }));
      const images = cases.map(({ text }) => ({
        type: 'image',
        data: 'iVBORw0KGgo=',
        mimeType: 'image/png',
        _meta: { text },
      }));
      const shown = await echo({ content: resources });
      received.resources.push(...shown.content.map(({ resource }) => (resource as { text: string }).text));
      const seen = await echo({ content: images });
      received.images.push(...seen.content.map(({ _meta }) => (_meta as { text: string }).text));
    }
    for (const [output, texts] of Object.entries(received)) measure(output, CORPUS, texts);
  });
});

const handleOf = (answer: EchoedResult, index = 0): string =>
  (readStructured(answer)!.artifacts as { handle: string }[])[index]!.handle;

/** A truncated line is not JSON and stays as it is. */
function parseOr(line: string): string {
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

describe('a long tool result with the corpus', () => {
  const rows = CORPUS.map(({ text }, id): Row => ({ id, note: text }));
  const parseNotes = (json: string): string[] =>
    (JSON.parse(json) as { rows: Row[] }).rows.map(({ note }) => note);

  it('is redacted through every selector', async () => {
    const { echo, view } = await startEchoHarness();
    const long = await echo({ content: [{ type: 'text', text: JSON.stringify({ rows }, null, 1) }] });
    const handle = handleOf(long);
    expect(findLeaks(CORPUS, JSON.stringify(long))).toEqual([]);
    const bytes = await view(handle, { bytes: { start: 0, end: 3_000, base64: true } });
    const outputs: Record<string, string[]> = {
      head: parseNotes((await view(handle, { head: { start: 0, chars: 6_000 } })).join('')),
      lines: parseNotes((await view(handle, { lines: { start: 1, end: 100 } })).join('\n')),
      grep: (await view(handle, { grep: { pattern: '"note"' } }))
        .flatMap((page) => page.split('\n'))
        .map((line) => parseOr(line.replace(/^\d+: *"note": /, ''))),
      rows: (await view(handle, { rows: { path: '/rows' } }))
        .flatMap((page) => page.split('\n').slice(1))
        .map((line) => (JSON.parse(line) as [number, string])[1]),
      jsonpath: (await view(handle, { jsonpath: { path: '$.rows[*].note' } }))
        .flatMap((page) => page.split('\n'))
        .map((line) => JSON.parse(line) as string),
      bytes: parseNotes(
        Buffer.concat(bytes.map((page) => Buffer.from(page.slice('base64:'.length), 'base64'))).toString(),
      ),
    };
    for (const [output, texts] of Object.entries(outputs)) measure(output, CORPUS, texts);
  });

  it('is redacted in textual bytes that are read in small pages', async () => {
    const { echo, view } = await startEchoHarness();
    const received: string[] = [];
    for (const cases of splitIntoCalls(SAMPLE)) {
      const long = await echo({
        content: cases.map(({ text }) => ({
          type: 'resource',
          resource: { uri: 'x:y', mimeType: 'text/plain', blob: Buffer.from(text).toString('base64') },
        })),
      });
      for (const [i, { text }] of cases.entries()) {
        const chars = Math.max(10, Math.ceil(text.length / 8));
        received.push((await view(handleOf(long, i), { head: { start: 0, chars } })).join(''));
      }
    }
    measure('blobs', SAMPLE, received);
  });

  it('is redacted in summaries and facts', async () => {
    const { echo } = await startEchoHarness();
    for (const one of SAMPLE) {
      const lines = Array.from({ length: 300 }, (_, i) => `2026-01-01T00:00:00Z ERROR ${i} ${one.text}`);
      const output = JSON.stringify(await echo({ content: [{ type: 'text', text: lines.join('\n') }] }));
      expect(output).toContain('Stored in full');
      expect(findLeaks([one], output)).toEqual([]);
    }
  });
});

const REFUSE: NativeTool = {
  name: 'refuse',
  description: 'Refuses.',
  inputSchema: { type: 'object', properties: { reason: { type: 'string' } } },
  run: ({ reason }) => {
    throw new Fault('PRECONDITION_FAILED', String(reason));
  },
};

describe('other output with the corpus', () => {
  it('is redacted in errors', async () => {
    const { execute } = await startEchoHarness({ native: { local: [REFUSE] } });
    for (const one of CORPUS) {
      const output = JSON.stringify(await execute({ tool_id: '/local/refuse', args: { reason: one.text } }));
      expect(output).toContain('PRECONDITION_FAILED');
      expect(findLeaks([one], output)).toEqual([]);
    }
  });

  it('is redacted in cards, dry runs and argument errors', async () => {
    const tools = SAMPLE.map(({ text }, i) => ({
      name: `tool_${i}`,
      description: text,
      inputSchema: { type: 'object', properties: { a: { const: text, description: text } }, required: ['a'] },
    }));
    const { execute, browse } = await startEchoHarness({ tools });
    for (const [i, one] of SAMPLE.entries()) {
      const tool = `/upstream/tool_${i}`;
      const output = JSON.stringify([
        await browse({ query: `tool_${i}` }),
        await browse({ path: tool }),
        await execute({ tool_id: tool, dry_run: true }),
        await execute({ tool_id: tool, args: { a: 1 } }),
      ]);
      expect(output).toContain(`tool_${i}`);
      expect(findLeaks([one], output)).toEqual([]);
    }
  });

  it('is redacted in the receipts that the CLI prints, and in telemetry', async () => {
    const collector = await startCollector();
    const { call, home, close } = await startEchoHarness({
      settings: { telemetry: { otlp: collector.url } },
    });
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
    expect(findLeaks(short, collector.payloads)).toEqual([]);
  });

  it('is redacted in log lines', async () => {
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
    const received = lines.map((line) => JSON.parse(line) as { msg: string; note: [string] });
    measure(
      'log messages',
      CORPUS,
      received.map(({ msg }) => msg),
    );
    measure(
      'log fields',
      CORPUS,
      received.map(({ note: [note] }) => note),
    );
  });
});
