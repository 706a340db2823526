import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStoreRig, type StoreRig } from '../../store/testing/store-harness.ts';
import { compareInEveryState, type StateReport } from './testing/same-result.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';

/** A small part of what `npm run soak -- filters` compares. */
const queriesInState = byLength(8, 40);
const seed = testSeed();

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

test(`the store answers as the interpreter does, in every state and order (seed ${seed})`, { timeout: 900_000 }, async () => {
  const reports: StateReport[] = [];
  for await (const report of compareInEveryState(rig.connections, seed, queriesInState)) reports.push(report);
  for (const { state, mismatch } of reports) expect(mismatch, `${state}, records of seed ${seed}`).toBeNull();
  const queries = reports.reduce((sum, report) => sum + report.queries, 0);
  const telling = reports.reduce((sum, report) => sum + report.telling, 0);
  expect(queries).toBe(queriesInState * reports.length);
  expect(telling / queries).toBeGreaterThan(0.3);
});
