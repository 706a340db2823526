import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moneyOfUnits, moneyOfUsd, usdOf, zeroMoney } from '../../model/pricing/money.ts';
import { defaultCallPolicy } from './calls.ts';
import type { Destination } from './destination.ts';
import { ProgressFile } from './progress-file.ts';
import type { DayPosition } from './read-days.ts';
import { isReconciled, jsonReport, textReport } from './report.ts';
import { type ImportResult, runImport } from './run-import.ts';
import { apiSource, identityOfApi } from './sources.ts';
import { faultsOf } from './testing/compare.ts';
import { type FakeHelicone, type FakeOptions, startFakeHelicone } from './testing/fake-helicone.ts';
import { heldDestination } from './testing/held-destination.ts';
import { type FakeRecord, makeRecords } from './testing/records.ts';
import { upstreamApi } from './upstream-api.ts';

let folder: string;
const running: FakeHelicone[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'import-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all(running.splice(0).map((fake) => fake.close()));
});

const records = makeRecords({ count: 600, seed: 7, firstDay: '2026-03-01', days: 3 });
const range = { fromSeconds: Date.UTC(2026, 1, 1) / 1000, toSeconds: Date.UTC(2026, 3, 1) / 1000 };

async function fakeOf(options: FakeOptions): Promise<FakeHelicone> {
  const fake = await startFakeHelicone(options);
  running.push(fake);
  return fake;
}

interface Given {
  readonly isDryRun?: boolean;
  readonly maxAttempts?: number;
}

function importFrom(
  fake: FakeHelicone,
  destination: Destination,
  { isDryRun = false, maxAttempts = 8 }: Given = {},
): Promise<ImportResult> {
  const policy = { ...defaultCallPolicy, callsPerSecond: 100_000, firstDelayMs: 1, maxDelayMs: 2, maxAttempts, onWait: () => undefined };
  const api = upstreamApi({ url: fake.url, key: fake.key, policy });
  const source = apiSource({ api, identity: identityOfApi(fake.url, range, destination.name), pageSize: 50 });
  const progressFile = isDryRun ? null : new ProgressFile<DayPosition>(path.join(folder, 'state.json'));
  return runImport({ source, destination, isDryRun, progressFile, onProgress: () => undefined });
}

/** The sums that a person would make of the records. */
function expectedSums(of: readonly FakeRecord[]) {
  const costs = of.map(({ row }) => row['cost'] as number | null);
  const cost = costs.reduce((sum, usd) => moneyOfUnits(sum + (usd === null ? zeroMoney : (moneyOfUsd(usd) ?? zeroMoney))), zeroMoney);
  return {
    requests: of.length,
    tokens: of.reduce((sum, { row }) => sum + Number(row['prompt_tokens']) + Number(row['completion_tokens']), 0),
    cost: usdOf(cost),
    unpriced: costs.filter((usd) => usd === null).length,
  };
}

function reportOf({ tally, sample }: ImportResult, isDryRun = false) {
  return jsonReport({ tally, sample, isDryRun, source: 'there' }) as {
    readonly reconciled: boolean;
    readonly total: Readonly<Record<string, unknown>>;
    readonly days: readonly Readonly<Record<string, unknown>>[];
    readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  };
}

describe('an import from upstream', () => {
  it('brings every record with its bodies, tags, scores and feedback, and both sides have the same sums each day', async () => {
    const fake = await fakeOf({ records });
    const here = heldDestination();
    const result = await importFrom(fake, here);
    expect(records.flatMap((record) => faultsOf(record, here.items.get(record.id)))).toEqual([]);
    const report = reportOf(result);
    expect(report).toMatchObject({ reconciled: true, total: { imported: 600, already_here: 0, rejected: 0, not_found_here: 0 } });
    expect(report.total['there']).toEqual(expectedSums(records));
    expect(report.total['here']).toEqual(expectedSums(records));
    expect(report.days.map(({ day }) => day)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
    expect(existsSync(path.join(folder, 'state.rejected.jsonl'))).toBe(false);
    // Twelve records have no bodies there.
    expect(report.reasons).toEqual([
      { reason: expect.stringContaining('not_stored_exceeded_free') as string, count: 12, request_ids: expect.any(Array) as string[] },
    ]);
  });

  it('adds nothing the second time, and says that all were here', async () => {
    const fake = await fakeOf({ records });
    const here = heldDestination();
    await importFrom(fake, here);
    const again = reportOf(await importFrom(fake, here));
    expect(again).toMatchObject({ reconciled: true, total: { imported: 0, already_here: 600 } });
    expect(here.items.size).toBe(600);
  });

  it('continues behind the last batch when it was broken off, and counts nothing twice', async () => {
    const fake = await fakeOf({ records });
    const here = heldDestination();
    let sends = 0;
    const breaking: Destination = {
      ...here,
      send: async (lines, isDryRun) => {
        const outcome = await here.send(lines, isDryRun);
        sends += 1;
        // What was sent is stored; that it is was not heard.
        if (sends % 4 === 0) throw new Error('killed');
        return outcome;
      },
    };
    const outcomes: (ImportResult | Error)[] = [];
    while (!outcomes.some((outcome) => 'tally' in outcome)) {
      outcomes.push(await importFrom(fake, breaking).catch((error: unknown) => error as Error));
    }
    const result = outcomes.pop() as ImportResult;
    expect(new Set(outcomes.map((outcome) => (outcome as Error).message))).toEqual(new Set(['killed']));
    const report = reportOf(result);
    expect(report).toMatchObject({ reconciled: true, total: { there: expectedSums(records), here: expectedSums(records) } });
    expect(records.flatMap((record) => faultsOf(record, here.items.get(record.id)))).toEqual([]);
  });

  it('counts a day that is read again once, with what was rejected on it', async () => {
    const fake = await fakeOf({ records, isDuplicated: ({ createdAt }) => createdAt % 3 === 0 });
    const here = heldDestination((item) => (String(item['request_id']).startsWith('0') ? 'Refused by this test.' : undefined));
    const refused = records.filter(({ id }) => id.startsWith('0'));
    const report = reportOf(await importFrom(fake, here));
    expect(report).toMatchObject({
      reconciled: false,
      total: { there: expectedSums(records), imported: 600 - refused.length, already_here: 0, rejected: refused.length },
    });
    expect(report.reasons).toContainEqual({
      reason: 'Rejected: Refused by this test.',
      count: refused.length,
      request_ids: expect.any(Array) as string[],
    });
    const lines = readFileSync(path.join(folder, 'state.rejected.jsonl'), 'utf8').trim().split('\n');
    expect(
      lines.map((line) => (JSON.parse(line) as { record: { request_id: string } }).record.request_id.toLowerCase()).toSorted(),
    ).toEqual(refused.map(({ id }) => id).toSorted());
  });

  it('takes bodies from the single request when the signed addresses are out of reach', async () => {
    const fake = await fakeOf({ records, isBucketAway: true });
    const here = heldDestination();
    await importFrom(fake, here, { maxAttempts: 2 });
    expect(records.flatMap((record) => faultsOf(record, here.items.get(record.id)))).toEqual([]);
  });

  it('names what differs: other costs and scores of requests that were here before, and what upstream counts beside its pages', async () => {
    const fake = await fakeOf({ records, wrongCounts: { '2026-03-02': 3 } });
    const here = heldDestination();
    await importFrom(fake, here);
    const [first, second] = records.filter(({ createdAt }) => new Date(createdAt).getUTCDate() === 1);
    const change = (id: string | undefined, fields: object): void => {
      here.items.set(id ?? '', { ...here.items.get(id ?? ''), ...fields });
    };
    change(first?.id, { cost: 5 });
    change(second?.id, { scores: { other: 1 } });
    const result = await importFrom(fake, here);
    expect(isReconciled(result.tally.total())).toBe(false);
    const text = textReport({ ...result, isDryRun: false, source: 'there' });
    expect(text).toContain('1 with another cost here, 1 with other properties or scores here');
    expect(text).toMatch(/cost \+[45]\.\d+ USD/);
    expect(text).toMatch(/^2026-03-02 .*\d+ counted there, \d+ in its pages$/m);
    expect(text).toContain(`1 × Another cost here: the request was here before, and its cost was computed by other prices. (${first?.id})`);
  });

  it('as a trial says what would be imported and rejected, and stores and writes nothing', async () => {
    const bad = { ...records[0], row: { ...records[0]?.row, request_id: 'req_1' } } as FakeRecord;
    const fake = await fakeOf({ records: [bad, ...records.slice(1)] });
    const here = heldDestination();
    const trial = await importFrom(fake, here, { isDryRun: true });
    expect(textReport({ ...trial, isDryRun: true, source: 'there' }).split('\n')[0]).toBe(
      '600 requests in there: 599 to import, 0 here already, 1 would be rejected. Nothing was imported.',
    );
    expect(here.items.size).toBe(0);
    expect(fake.calls().bucket).toBe(0);
    await importFrom(fake, here);
    expect(textReport({ ...(await importFrom(fake, here, { isDryRun: true })), isDryRun: true, source: 'there' })).toContain(
      '0 to import, 599 here already, 1 would be rejected',
    );
  });

  it('as a trial counts a day that it reads again once', async () => {
    const fake = await fakeOf({ records, isDuplicated: ({ createdAt }) => createdAt % 3 === 0 });
    const trial = await importFrom(fake, heldDestination(), { isDryRun: true });
    expect(textReport({ ...trial, isDryRun: true, source: 'there' })).toContain('600 to import, 0 here already, 0 would be rejected');
  });

  it('refuses a wrong key at once, with what to do', async () => {
    const fake = await fakeOf({ records });
    await expect(importFrom({ ...fake, key: 'sk-helicone-wrong' }, heldDestination())).rejects.toThrow('GATELOG_IMPORT_KEY takes a key');
    expect(fake.calls().api).toBe(1);
  });
});
