import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { type ApiClient, apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, program, removeDataDir, serviceEnvironment, type Service, startService, testKey } from './support/process-tree.ts';
import { inFull } from './support/test-length.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-import-'));
const folders: string[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true });
  for (const dataDir of folders) removeDataDir(dataDir);
});

function newDataDir(): string {
  const dataDir = makeDataDir();
  folders.push(dataDir);
  return dataDir;
}

const begin = Date.UTC(2026, 0, 1);
const idOf = (index: number): string => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;

/** Lines of small calls of three months, in no order. */
function fileOf(name: string, count: number): string {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      request_id: idOf(index),
      request_created_at: new Date(begin + index * 1000 - (index % 3) * 28 * 86_400_000).toISOString(),
      provider: 'OPENAI',
      request_path: '/v1/chat/completions',
      request_body: { model: 'm', messages: [{ role: 'user', content: `Question ${index}` }] },
      response_body: { choices: [{ message: { role: 'assistant', content: `Answer ${index}` } }] },
      response_status: 200,
      properties: { Number: String(index) },
      cost: index / 1_000_000,
    }),
  );
  const file = path.join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

function startImport(api: string, ...words: readonly string[]): Running {
  const env = { ...serviceEnvironment({ dataDir: folder }), GATELOG_API_URL: api, GATELOG_API_KEY: testKey };
  const child = spawn(process.execPath, [program, 'import', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return { child, output: () => output, exited: new Promise((resolve) => void child.once('close', resolve)) };
}

async function countOf(api: ApiClient): Promise<number> {
  const { body } = await api.call<number>('POST', '/v1/request/count/query', { filter: 'all' });
  return body.data;
}

/** Properties by identifier; an identifier that is there twice fails. */
async function numbersOf(api: ApiClient, service: Service): Promise<ReadonlyMap<string, string | undefined>> {
  const numbers = new Map<string, string | undefined>();
  let cursor: string | null = null;
  do {
    const given: object = cursor === null ? {} : { cursor };
    const { headers, body } = await api.call<readonly RequestItem[]>('POST', '/v1/request/query-clickhouse', {
      filter: 'all',
      limit: 1000,
      ...given,
    });
    for (const { request_id: id, properties } of body.data) {
      if (numbers.has(id)) throw new Error(`${id} is on record twice at ${service.api}`);
      numbers.set(id, properties['Number']);
    }
    cursor = headers.get('svc-next-cursor');
  } while (cursor !== null);
  return numbers;
}

it('long lines, which a thread reads, are stored or named like any others', async () => {
  const service = await startService({ dataDir: newDataDir() });
  const api = apiClient(service.api);
  const item = (index: number, body: object): object => ({ request_id: idOf(index), request_created_at: begin, request_body: body });
  const values = Array.from({ length: 200_000 }, (_, value) => ({ value }));
  const lines = [item(1, { values }), item(2, {}), { ...item(3, { values }), request_id: 'x' }];
  const response = await fetch(`${service.api}/v1/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(await response.json()).toMatchObject({
    data: { lines: 3, imported: 2, rejected: 1, rejections: [{ line: 3, field: 'request_id' }] },
  });
  expect((await api.stored(idOf(1))).request_body).toEqual({ values });
  await service.stop();
});

describe('gatelog import', () => {
  inFull(() => {
    it('stores each line once, through kills of the service and of itself', async () => {
      const count = 40_000;
      const file = fileOf('killed.jsonl', count);
      const dataDir = newDataDir();
      let service = await startService({ dataDir });
      const environment = { GATELOG_GATEWAY_PORT: new URL(service.gateway).port, GATELOG_API_PORT: new URL(service.api).port };
      const api = apiClient(service.api);
      const first = startImport(service.api, file);
      for (const seen of [1, 10_000]) {
        await eventually(`${seen} imported records`, async () => ((await countOf(api)) >= seen ? true : undefined), 120_000);
        expect({ code: first.child.exitCode, output: first.output() }).toMatchObject({ code: null });
        await service.killAll();
        service = await startService({ dataDir, environment });
      }
      await eventually('more imported records', async () => ((await countOf(api)) > count / 2 ? true : undefined), 120_000);
      first.child.kill('SIGKILL');
      await first.exited;
      const again = startImport(service.api, '--json', file);
      expect({ code: await again.exited, output: again.output() }).toMatchObject({ code: 0 });
      const report = JSON.parse(again.output()) as { readonly imported: number; readonly already_there: number };
      expect(report.already_there).toBeGreaterThan(0);
      expect(report.imported + report.already_there).toBe(count);
      await eventually('all records', async () => ((await countOf(api)) >= count ? true : undefined), 120_000);
      const numbers = await numbersOf(api, service);
      expect(numbers.size).toBe(count);
      for (let index = 0; index < count; index += 1) expect(numbers.get(idOf(index))).toBe(String(index));
      await service.stop();
    });
  });

  it('reads compressed files and standard input, names bad lines and sets them aside', async () => {
    const service = await startService({ dataDir: newDataDir() });
    const good = readFileSync(fileOf('good.jsonl', 3), 'utf8');
    const mixed = path.join(folder, 'mixed.jsonl.gz');
    const long = `{"request_id":"${'x'.repeat(64 * 1024 * 1024)}"}`;
    writeFileSync(mixed, gzipSync(`no JSON\n${good}${long}\n{"request_id":"x"}\n`));
    const mixedRun = startImport(service.api, mixed);
    expect(await mixedRun.exited).toBe(1);
    expect(mixedRun.output()).toContain(`${mixed}, line 1: The line is not JSON: write one object a line.`);
    expect(mixedRun.output()).toContain(`${mixed}, line 5: The line has more than 67108864 bytes.`);
    expect(mixedRun.output()).toContain(`${mixed}, line 6: \`request_id\` takes a UUID. This is "x".`);
    expect(mixedRun.output()).toContain('6 lines: 3 imported, 0 already there, 3 rejected (set aside in mixed.jsonl.gz.rejected.jsonl).');
    expect(mixedRun.output()).toContain('3 lines were rejected; all others are on record.');
    const aside = readFileSync(`${mixed}.rejected.jsonl`, 'utf8').split('\n');
    expect(aside.toSorted((one, other) => one.length - other.length)).toEqual(['', 'no JSON', '{"request_id":"x"}', long]);
    const trial = startImport(service.api, '--dry-run', path.join(folder, 'good.jsonl'));
    expect(await trial.exited).toBe(0);
    expect(trial.output()).toContain('3 lines: 0 would be imported, 3 already there, 0 rejected.');
    await service.stop();
  });
});
