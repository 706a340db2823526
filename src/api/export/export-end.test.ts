import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import { makeExports } from '../parts/exports.ts';
import { type ExportRig, linesOf, openExportRig } from './testing/export-harness.ts';

let rig: ExportRig;
let filter: object;
const minute = 60_000;
const now = Date.now();
beforeAll(async () => {
  rig = await openExportRig();
  ({ filter } = await rig.recorded([5, 3, 1].map((minutes) => ({ createdAt: now - minutes * minute }))));
});
afterAll(async () => rig.close());

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** @param oldest arrival of the oldest call that is not stored. */
async function exportWith(oldest: () => Promise<number | undefined>, body: object = {}) {
  const asked: number[] = [];
  const oldestUnstored = (_organizationId: unknown, beforeMs: number) => {
    asked.push(beforeMs);
    return oldest();
  };
  const api = rig.withPorts({ exports: makeExports({ now: Date.now, oldestUnstored }) });
  const response = await rig.call('POST', '/v1/export', { api, body: { filter, columns: ['request_created_at'], ...body } });
  const arrivals = linesOf(await response.text()).map((item) => item['request_created_at']);
  return { end: response.headers.get('svc-export-end'), warning: response.headers.get('svc-warning'), arrivals, asked };
}

describe('an export without an end', () => {
  test('ends at the arrival of the oldest call whose record is still to come', async () => {
    const { end, warning, arrivals } = await exportWith(async () => now - 3 * minute);
    expect(end).toBe(isoOf(now - 3 * minute));
    expect(arrivals).toEqual([isoOf(now - 5 * minute)]);
    expect(warning).toContain(
      `A call that arrived at ${isoOf(now - 3 * minute)} is still open or on its way to the store: the export ends there`,
    );
  });

  test('says nothing of calls that have just arrived', async () => {
    const oldest = Date.now() - 1000;
    expect(await exportWith(async () => oldest)).toMatchObject({ end: isoOf(oldest), warning: null });
  });

  test('ends no earlier than it starts', async () => {
    const startDate = isoOf(now - 2 * minute);
    expect(await exportWith(async () => now - 4 * minute, { startDate })).toMatchObject({ end: startDate, arrivals: [] });
  });

  test('is the same with an end in the future', async () => {
    const oldest = now - 2 * minute;
    expect(await exportWith(async () => oldest, { endDate: '2099-01-01' })).toMatchObject({ end: isoOf(oldest) });
  });

  test('goes on where nobody can tell, with a warning', async () => {
    const { warning, arrivals } = await exportWith(() => Promise.reject(new GatelogError('store_unavailable', 'too much')));
    expect(arrivals).toHaveLength(3);
    expect(warning).toContain('may lack the latest ones');
  });
});

describe('an export with an end', () => {
  test('keeps it, and tells of a call that arrived before it and is still to come', async () => {
    const endDate = isoOf(now - 2 * minute);
    const { end, warning, arrivals, asked } = await exportWith(async () => now - 4 * minute, { endDate });
    expect(end).toBe(endDate);
    expect(arrivals).toHaveLength(2);
    expect(asked).toEqual([now - 2 * minute]);
    expect(warning).toContain('the export lacks it');
    expect(await exportWith(async () => undefined, { endDate })).toMatchObject({ end: endDate, warning: null });
  });

  test('is refused when its start is later', async () => {
    const body = { startDate: '2026-02-01', endDate: '2026-01-01' };
    const response = await rig.call('POST', '/v1/export', { body });
    expect([response.status, await response.json()]).toMatchObject([422, { details: { path: 'endDate' } }]);
    expect((await rig.call('POST', '/v1/export', { body: { startDate: '2026-01-01', endDate: '2026-01-01' } })).status).toBe(200);
  });
});
