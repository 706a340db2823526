import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse as parseCsv } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../../api/testing/api-harness.ts';
import { serveApi } from '../../api/listen.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { runCommand } from '../command.ts';
import { type ExportOptions, exportRecords } from '../commands/export.ts';
import { systemDependencies } from '../base/dependencies.ts';

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-export-'));
const time = Date.UTC(2026, 3, 5);
const job = { request_response_rmt: { job_id: { equals: 'exported' } } };
const filter = ['--filter', JSON.stringify(job)];

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
  await rig.insert(
    Array.from({ length: 1000 }, (_, index) => ({
      requestId: newId(),
      jobId: 'exported',
      createdAt: time + Math.floor(index / 4),
      model: `model "${index}"`,
      properties: new Map([['Team', index % 2 === 0 ? 'even' : 'odd']]),
      requestBody: { kind: 'json' as const, text: `{"seed":1234567890123456789${index},"text":"${'x'.repeat(3000)}"}` },
      sizeBytes: 3000,
    })),
  );
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
  rmSync(folder, { recursive: true });
});

const opened: Server[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await closeServer(server, 0);
});

interface Outcome {
  readonly code: number;
  readonly written: string;
  readonly printed: string;
  readonly hinted: string;
  readonly progress: readonly string[];
}

async function run(words: readonly string[], base = address): Promise<Outcome> {
  const [written, printed, hinted, progress]: [Buffer[], string[], string[], string[]] = [[], [], [], []];
  const code = await runCommand(['export', ...words], {
    ...systemDependencies({ GATELOG_API_URL: base, GATELOG_API_KEY: keyOf('r') }),
    print: (text) => printed.push(text),
    hint: (text) => hinted.push(text),
    progress: (text) => progress.push(text),
    write: (bytes) => {
      written.push(Buffer.from(bytes));
      return Promise.resolve();
    },
  });
  return { code, written: Buffer.concat(written).toString(), printed: printed.join('\n'), hinted: hinted.join('\n'), progress };
}

async function served(body: object): Promise<string> {
  return (await rig.call('POST', '/v1/export', { body: { filter: job, ...body } })).text();
}

const at = (name: string): string => path.join(folder, name);

describe('gatelog export', () => {
  test('writes to standard output what the API streams', async () => {
    expect(await run(filter)).toMatchObject({ code: 0, written: await served({}), printed: '' });
    expect(await run([...filter, '--output', '-'])).toMatchObject({ code: 0, written: await served({}) });
    expect((await run([...filter, '--include-body'])).written).toBe(await served({ includeBodies: true }));
    expect((await run([...filter, '--format', 'csv', '--include-body'])).written).toBe(
      await served({ format: 'csv', includeBodies: true }),
    );
    const columns = ['model', 'properties.Team', 'request_body'];
    expect((await run([...filter, '--columns', columns.join(','), '--format', 'csv'])).written).toBe(
      await served({ format: 'csv', columns }),
    );
  });

  test('takes a window, properties and columns', async () => {
    const words = ['--start-date', new Date(time + 100).toISOString(), '--end-date', new Date(time + 102).toISOString()];
    const { written } = await run([...filter, ...words, '--property', 'Team=odd', '--columns', 'request_created_at,properties.Team']);
    const line = (ms: number): string => `{"request_created_at":"${new Date(time + ms).toISOString()}","properties.Team":"odd"}\n`;
    expect(written).toBe(line(100) + line(100) + line(101) + line(101));
  });

  test('takes a window of days before now', async () => {
    const since = Math.ceil((Date.now() - time) / 86_400_000);
    expect((await run([...filter, '--start-date', `${since}d`, '--columns', 'model'])).written.split('\n')).toHaveLength(1001);
    expect((await run([...filter, '--start-date', 'today', '--end-date', 'now'])).written).toBe('');
  });

  test('writes a file, whose ending says how', async () => {
    const { code, hinted } = await run([...filter, '--output', at('all.csv.gz'), '--include-body']);
    expect([code, hinted]).toEqual([0, expect.stringMatching(/^1,000 records in \d+ s, [\d.]+ KiB: /)]);
    const rows = parseCsv(gunzipSync(readFileSync(at('all.csv.gz'))), { columns: true }) as readonly Readonly<Record<string, string>>[];
    expect(rows.map(({ model }) => model)).toEqual(Array.from({ length: 1000 }, (_, index) => `model "${index}"`));
    expect(rows[7]?.['request_body']).toContain('"seed":12345678901234567897,');
    await run([...filter, '--output', at('all.parquet'), '--compress', 'zstd']);
    expect(await modelsIn(at('all.parquet'))).toEqual(rows.map(({ model }) => model));
    expect(readdirSync(folder).toSorted()).toEqual(['all.csv.gz', 'all.parquet']);
  });

  test.each(['jsonl', 'csv', 'parquet'])('writes a folder of files of limited size, and a manifest at the end (%s)', async (format) => {
    const maxFileBytes = format === 'parquet' ? 4.5 * 1024 ** 2 : 1024 ** 2;
    const output = `${at(`folder-${format}`)}/`;
    await exportWith({ format, output, filter: JSON.stringify(job), includeBody: true }, maxFileBytes);
    const manifest = JSON.parse(readFileSync(`${output}manifest.json`, 'utf8')) as Manifest;
    expect(manifest).toMatchObject({ version: 1, window: { start: null }, filter: job, format, rows: 1000 });
    expect(manifest.files.length).toBeGreaterThan(2);
    const arrivals = manifest.files.flatMap(({ window }) => [Date.parse(window.start), Date.parse(window.end) - 1]);
    expect(arrivals).toEqual(arrivals.toSorted((one, other) => one - other));
    expect([arrivals[0], arrivals.at(-1)]).toEqual([time, time + 249]);
    for (const { name, bytes, sha256 } of manifest.files) {
      const content = readFileSync(output + name);
      expect(content.length).toBe(bytes);
      expect(bytes).toBeLessThanOrEqual(maxFileBytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    }
    expect(manifest.files.reduce((sum, { rows }) => sum + rows, 0)).toBe(1000);
    expect(readdirSync(output).toSorted()).toEqual(['manifest.json', ...manifest.files.map(({ name }) => name)]);
    const models = await Promise.all(manifest.files.map(({ name }) => modelsIn(output + name)));
    expect(models.flat()).toEqual(Array.from({ length: 1000 }, (_, index) => `model "${index}"`));
    const again = await run([...filter, '--output', output]);
    expect([again.code, again.hinted]).toEqual([1, expect.stringContaining('finished export')]);
  });

  test('shows how far it is', async () => {
    const { progress } = await run(filter);
    expect(progress.join('\n')).toMatch(/\d+ of 1,000 records \[[#-]{20}\] \d+ %, [\d,]+\/s/);
    expect(progress.at(-1)).toBe('');
  });

  test('prints the manifest as JSON on demand', async () => {
    const { printed } = await run([...filter, '--output', at('json.jsonl'), '--json']);
    expect(JSON.parse(printed)).toMatchObject({ rows: 1000, files: [{ name: 'json.jsonl', rows: 1000 }] });
  });

  test.each([
    [['--format', 'xlsx'], 'Allowed choices are jsonl, csv, parquet.'],
    [['--compress', 'rar'], 'Allowed choices are none, gzip, zstd.'],
    [['--filter', '{'], '--filter is neither'],
    [['--property', 'Team'], '--property takes NAME=VALUE'],
    [['--columns', 'latencey'], 'Did you mean `latency`'],
    [['--columns', 'cursor'], 'for programs'],
    [['--resume'], '--resume needs --output'],
    [['--start-date', 'soon'], '--start-date takes today'],
    [['--start-date', '2026-02-01', '--end-date', '2026-01-01'], 'ends before it begins'],
  ])('refuses %j', async (words, sentence) => {
    const { code, hinted, written } = await run(words);
    expect([code, written]).toEqual([2, '']);
    expect(hinted).toContain(sentence);
  });
});

describe('a broken connection', () => {
  test('is taken up behind the last whole record, in any format', async () => {
    const flaky = await flakyServer(300_000);
    for (const format of ['jsonl', 'csv']) {
      const { code, written, hinted } = await run([...filter, '--format', format], flaky);
      expect([code, written]).toEqual([0, await served({ format })]);
      expect(hinted).toContain('goes on when the service is back');
    }
  });

  test('leaves an export that --resume ends, byte for byte as one that never broke off', async () => {
    for (const [name, format] of [
      ['whole.jsonl', 'jsonl'],
      ['whole.csv', 'csv'],
      ['whole.csv.gz', 'csv'],
      ['whole.parquet', 'parquet'],
    ] as const) {
      await run([...filter, '--output', at(name)]);
      await brokenOff(at(`broken-${name}`), format);
      expect(existsSync(at(`broken-${name}`))).toBe(false);
      const refused = await run([...filter, '--output', at(`broken-${name}`)]);
      expect([refused.code, refused.hinted]).toEqual([1, expect.stringContaining('--resume')]);
      const other = await run([...filter, '--columns', 'model', '--output', at(`broken-${name}`), '--resume']);
      expect([other.code, other.hinted]).toEqual([1, expect.stringContaining('other options')]);
      expect(await run([...filter, '--output', at(`broken-${name}`), '--resume'])).toMatchObject({ code: 0 });
      expect(await modelsIn(at(`broken-${name}`))).toEqual(await modelsIn(at(name)));
      const isSame = readFileSync(at(`broken-${name}`)).equals(readFileSync(at(name)));
      // Compressed parts end where the export broke off.
      expect(isSame).toBe(['whole.jsonl', 'whole.csv'].includes(name));
    }
  });
});

interface Manifest {
  readonly rows: number;
  readonly files: readonly {
    readonly name: string;
    readonly rows: number;
    readonly bytes: number;
    readonly sha256: string;
    readonly window: { readonly start: string; readonly end: string };
  }[];
}

async function exportWith(options: ExportOptions, maxFileBytes: number): Promise<void> {
  const dependencies = systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('r') });
  await exportRecords({ ...dependencies, hint: () => undefined }, options, { maxFileBytes });
}

/** An export of which a part is safe on the disk and a part is not. */
async function brokenOff(output: string, format: string): Promise<void> {
  const dependencies = systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('r') });
  let calls = 0;
  const now = (): number => {
    calls += 1;
    if (calls > 30) throw new Error('killed');
    return Date.now();
  };
  const options = { format, output, filter: JSON.stringify(job) };
  await expect(exportRecords({ ...dependencies, now, hint: () => undefined }, options, { syncBytes: 200_000 })).rejects.toThrow('killed');
  expect(existsSync(`${output}.partial`)).toBe(true);
  writeFileSync(`${output}.partial`, 'half a record', { flag: 'a' });
}

function bufferOf(file: string): ArrayBuffer {
  return new Uint8Array(readFileSync(file)).buffer;
}

async function modelsIn(file: string): Promise<readonly unknown[]> {
  if (file.endsWith('.parquet')) {
    const rows: readonly Readonly<Record<string, unknown>>[] = await parquetReadObjects({ file: bufferOf(file), compressors });
    return rows.map((row) => row['model']);
  }
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  if (/\.csv/.test(file)) return (parseCsv(text, { columns: true }) as readonly { readonly model: string }[]).map(({ model }) => model);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { readonly model: string }).model);
}

/** The API behind a connection that breaks after this many bytes, or refuses, each second time. */
async function flakyServer(bytes: number): Promise<string> {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    const body: Buffer[] = [];
    request.on('data', (piece: Buffer) => body.push(piece));
    request.on('end', () => {
      if (calls % 3 === 2) {
        response.destroy();
        return;
      }
      const headers = {
        authorization: request.headers.authorization ?? '',
        'content-type': 'application/json',
        'svc-include-count': 'true',
      };
      void fetch(address + (request.url ?? ''), { method: 'POST', headers, body: Buffer.concat(body) }).then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        let left = bytes;
        for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
          const isLast = piece.length >= left;
          response.write(piece.subarray(0, left), () => (isLast ? response.destroy() : undefined));
          left -= piece.length;
          if (isLast) return response;
        }
        return response.end();
      });
    });
  });
  opened.push(server);
  server.listen(0, '127.0.0.1');
  return listening(server);
}
