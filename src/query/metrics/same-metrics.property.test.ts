import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStoreRig, type StoreRig } from '../../store/testing/store-harness.ts';
import type { StateReport } from '../filter/testing/same-result.ts';
import { mutants, sameMetricsInEveryState } from './testing/same-metrics.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';

/** A small part of what `npm run soak -- metrics` compares. */
const queriesInState = byLength(3, 20);
const seed = testSeed();

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

test(`metrics are those computed from the records, in every state of the store (seed ${seed})`, { timeout: 900_000 }, async () => {
  const reports: StateReport[] = [];
  for await (const report of sameMetricsInEveryState(rig.connections, seed, queriesInState)) reports.push(report);
  for (const { state, mismatch } of reports) expect(mismatch, `${state}, records of seed ${seed}`).toBeNull();
  expect(reports.reduce((sum, { queries }) => sum + queries, 0)).toBe(queriesInState * 7);
});

test.each(byLength([], Object.entries(mutants)))('the comparison finds that %s', { timeout: 900_000 }, async (_, mutant) => {
  for await (const { mismatch } of sameMetricsInEveryState(rig.connections, seed, 500, mutant)) {
    if (mismatch === null) continue;
    expect(mismatch).toMatch(/other: |total: |a row of nowhere|rows instead of/);
    return;
  }
  expect.fail('no query told the difference');
});
