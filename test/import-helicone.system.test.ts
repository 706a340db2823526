import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../src/cli/helicone/testing/compare.ts';
import { exportToolFile } from '../src/cli/helicone/testing/export-files.ts';
import { startFakeHelicone } from '../src/cli/helicone/testing/fake-helicone.ts';
import { type FakeRecord, makeRecords } from '../src/cli/helicone/testing/records.ts';
import type { JsonObject } from '../src/model/text.ts';
import { apiClient } from './support/api.ts';
import { type CommandResult, gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { importOutcome, runImportHelicone, startImporter } from './support/import-helicone-run.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

let service: Service;
let folder: string;
const dataDir = makeDataDir();
beforeAll(async () => {
  service = await startService({ dataDir });
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-import-'));
});
afterAll(async () => {
  await service.stop();
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

const api = () => apiClient(service.api);

async function countOf(): Promise<number> {
  return (await api().call<number>('POST', '/v1/request/count/query', { filter: 'all' })).body.data;
}

function importerOf(words: readonly string[], key = 'sk-helicone-any'): Promise<CommandResult> {
  return importOutcome(startImporter(words, { service, folder, key }));
}

/** Requests that an import's state tells of. */
function requestsIn(file: string): number {
  if (!existsSync(file)) return 0;
  const { tally } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly tally: Readonly<Record<string, { readonly there: { readonly requests: number } }>>;
  };
  return Object.values(tally).reduce((sum, { there }) => sum + there.requests, 0);
}

async function importing(records: readonly FakeRecord[], words: readonly string[]): Promise<CommandResult> {
  const fake = await startFakeHelicone({ records });
  try {
    return await importerOf(['--url', fake.url, '--calls-per-second', '1000', ...words], fake.key);
  } finally {
    await fake.close();
  }
}

describe('gatelog import --from helicone', () => {
  it('brings everything from a service with faults, killed and run twice, and both sides have the same sums', async () => {
    const [count, kills] = [byLength(300, 1500), byLength(1, 3)];
    const verdict = await runImportHelicone({ service, folder, records: count, kills, seed: 11 });
    expect(verdict).toMatchObject({ faults: [], stored: count, kills });
    for (const { reconciled, total } of [verdict.first, verdict.second]) {
      expect(reconciled).toBe(true);
      expect(total).toMatchObject({ there: verdict.expected, here: verdict.expected, rejected: 0, not_found_here: 0 });
      expect(total['here']).toEqual(total['there']);
    }
    expect(verdict.second.total).toMatchObject({ imported: 0, already_here: count });
  });

  it('tries first: says what would happen, and leaves neither records nor a file', async () => {
    const records = makeRecords({ count: 30, seed: 21, firstDay: '2026-01-10', days: 2 });
    const before = await countOf();
    const { code, stdout } = await importing(records, ['--dry-run', '--state', 'trial.json']);
    expect(code).toBe(0);
    expect(stdout).toContain(': 30 to import, 0 here already, 0 would be rejected. Nothing was imported.');
    expect(stdout).toMatch(/^2026-01-10 +\d+ +0 /m);
    expect(await countOf()).toBe(before);
    expect(readdirSync(folder).filter((name) => name.startsWith('trial'))).toEqual([]);
  });

  it('names what is rejected and why, sets it aside, and ends with 1', async () => {
    const [bad, old, ...good] = makeRecords({ count: 12, seed: 22, firstDay: '2026-01-12', days: 1 });
    if (bad === undefined || old === undefined) throw new Error('no records');
    const tooLong = { ...old, row: { ...old.row, request_properties: { long: 'x'.repeat(9_000) } } };
    const records = [{ ...bad, row: { ...bad.row, request_id: 'req_1' } }, tooLong, ...good];
    const { code, stdout, stderr } = await importing(records, ['--state', 'rejects.json']);
    expect(code).toBe(1);
    expect(stdout).toContain('12 requests in http');
    expect(stdout).toContain('10 imported, 0 here already, 2 rejected. The sides differ');
    expect(stdout).toMatch(/^2026-01-12 +12 +10 .* 2 rejected, 1 without bodies$/m);
    expect(stdout).toContain('1 × Rejected: The request_id "req_1" is not a UUID. (req_1)');
    expect(stdout).toContain('1 × Rejected: The property "long" has more than 8192 bytes.');
    expect(stderr).toContain('rejects.rejected.jsonl');
    const aside = readFileSync(path.join(folder, 'rejects.rejected.jsonl'), 'utf8').trim().split('\n');
    expect(aside.map((line) => (JSON.parse(line) as { reason: string }).reason)).toHaveLength(2);
  });

  it("reads the files of upstream's export tool: the same records by the API afterwards add nothing, but for CSV, which has no identifiers", async () => {
    const records = makeRecords({ count: 40, seed: 23, firstDay: '2026-01-14', days: 2 });
    const rows = records.map(({ row, bodies }) => ({ ...row, request_body: bodies?.request, response_body: bodies?.response }));
    const before = await countOf();
    for (const [name, text] of [
      ['one.jsonl', exportToolFile(rows.slice(0, 20), 'jsonl')],
      ['two.json', exportToolFile(rows.slice(20), 'json')],
      ['three.csv', exportToolFile(rows, 'csv')],
    ] as const) {
      writeFileSync(path.join(folder, name), text);
    }
    const files = await importerOf(['one.jsonl', 'two.json', '--state', 'files.json']);
    expect(files).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('40 imported, 0 here already, 0 rejected. Both sides agree.') as string,
    });
    const { body } = await api().call<readonly JsonObject[]>('POST', '/v1/request/query-ids', { requestIds: records.map(({ id }) => id) });
    const byId = new Map(body.data.map((item) => [String(item['request_id']), item]));
    expect(records.flatMap((record) => faultsOf(record, byId.get(record.id)))).toEqual([]);
    expect((await importing(records, ['--state', 'after-files.json'])).stdout).toContain('0 imported, 40 here already');
    expect(await countOf()).toBe(before + 40);
    for (const outcome of ['40 imported, 0 here already', '0 imported, 40 here already']) {
      expect((await importerOf(['three.csv', '--state', 'csv.json'])).stdout).toContain(outcome);
    }
  });

  it('brings the records of another Gatelog too, into another organisation, with all their fields', async () => {
    await gatelog(dataDir, 'orgs', 'create', 'other');
    const { stdout: apiKey } = await gatelog(dataDir, 'keys', 'create', '--org', 'other');
    const records = makeRecords({ count: 25, seed: 25, firstDay: '2026-01-18', days: 1 });
    await importing(records, ['--state', 'first-hand.json']);
    const words = [
      '--url',
      service.api,
      '--since',
      '2026-01-18',
      '--until',
      '2026-01-19',
      '--calls-per-second',
      '1000',
      '--state',
      'second-hand.json',
    ];
    const outcome = await importOutcome(startImporter(words, { service, folder, key: testKey, apiKey: apiKey.trim() }));
    expect(outcome).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('25 imported, 0 here already, 0 rejected. Both sides agree.') as string,
    });
    const requestIds = records.map(({ id }) => id);
    const [there, here] = await Promise.all(
      [testKey, apiKey.trim()].map(async (key) => {
        const { body } = await apiClient(service.api, key).call<readonly JsonObject[]>('POST', '/v1/request/query-ids', { requestIds });
        return body.data.map((item) => ({ ...item, organization_id: null, signed_body_url: null, feedback_id: null }));
      }),
    );
    expect(here).toEqual(there);
  });

  it('asks nothing of the other service before it knows that this one takes its key', async () => {
    const fake = await startFakeHelicone({ records: [] });
    const child = startImporter(['--url', fake.url, '--state', 'key.json'], {
      service,
      folder,
      key: fake.key,
      apiKey: 'sk-svc-us-wrongwrongwrongwrongwrong',
    });
    const { code, stderr } = await importOutcome(child);
    expect({ code, calls: fake.calls().api }).toEqual({ code: 4, calls: 0 });
    expect(stderr).toContain('key');
    expect(existsSync(path.join(folder, 'key.json'))).toBe(false);
    await fake.close();
  });

  it('does not go on with the state of another import', async () => {
    const records = makeRecords({ count: 40, seed: 24, firstDay: '2026-01-16', days: 2 });
    writeFileSync(path.join(folder, 'other.jsonl'), exportToolFile([{ request_id: 'x' }], 'jsonl'));
    const fake = await startFakeHelicone({ records, faultOf: (call) => (call > 3 ? 'unavailable' : undefined) });
    const words = ['--url', fake.url, '--since', '2026-01-16', '--page-size', '5', '--state', 'mine.json'];
    const child = startImporter(words, { service, folder, key: fake.key });
    await eventually('requests to be read', () => (requestsIn(path.join(folder, 'mine.json')) > 0 ? true : undefined));
    child.kill('SIGKILL');
    await fake.close();
    const other = await importerOf(['other.jsonl', '--state', 'mine.json']);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/mine\.json is the state of another import that is not finished \(source http/);
  });

  it('forgets an import that has read nothing, as its address or key was wrong', async () => {
    const gateway = await importerOf(['--url', service.gateway, '--state', 'mistaken.json']);
    expect(gateway).toMatchObject({ code: 1, stderr: expect.stringContaining('GATELOG_IMPORT_KEY') as string });
    expect(gateway.stderr).not.toContain('What was imported stays');
    const records = makeRecords({ count: 5, seed: 25, firstDay: '2026-01-19', days: 1 });
    expect(await importing(records, ['--since', '2026-01-19', '--state', 'mistaken.json'])).toMatchObject({ code: 0 });
  });

  it.each([
    [[], '--from helicone takes either --url'],
    [['--url', 'ftp://x'], '--url takes the address of the API'],
    [['--url', 'http://127.0.0.1:9', '--since', 'soon'], '--since takes a date'],
    [['--url', 'http://127.0.0.1:9', '--since', '2026-02-01', '--until', '2026-01-01'], 'is not before --until'],
    [['nowhere.jsonl'], 'There is no file nowhere.jsonl.'],
  ])('says what is wrong with the command line %j', async (words, sentence) => {
    const { code, stderr } = await importerOf(words);
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
  });
});
