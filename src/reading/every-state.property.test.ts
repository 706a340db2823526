import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byLength, testSeed } from '../../test/support/test-length.ts';
import { type EventsDatabase, openEvents } from '../events/database/database.ts';
import { compareAnnounced } from '../events/webhooks/testing/same-as-query.ts';
import {
  type Comparison,
  compareFilters,
  inEveryState,
  type StateReport,
  worldsInEveryState,
} from '../query/filter/testing/same-result.ts';
import { compareMetrics, compareMutant, mutants } from '../query/metrics/testing/same-metrics.ts';
import { compareSessions } from '../query/testing/same-sessions.ts';
import { openStoreRig, type StoreRig } from '../store/testing/store-harness.ts';
import { compareStreamed } from './testing/same-as-query.ts';

const seed = testSeed();
const stateCount = 7;

/** What reads the store, with how many queries it is asked in each state: a small part of what `npm run soak` compares. */
const readers: readonly (readonly [promise: string, runs: number, compare: (database: EventsDatabase) => Comparison])[] = [
  ['the store answers as the interpreter does, in every order', byLength(5, 40), () => compareFilters],
  ['sessions, their totals, names and spread are those of the reference', byLength(2, 15), () => compareSessions],
  ['metrics are those computed from the records', byLength(2, 20), () => compareMetrics],
  ['a stream sends what a query finds', byLength(3, 25), () => compareStreamed],
  ['a webhook gets what a query with its filter finds', byLength(2, 15), compareAnnounced],
];

let rig: StoreRig;
let folder: string;
let database: EventsDatabase;
/** By the promise. The store goes through its states once, and all are asked in each. */
const reports = new Map<string, StateReport[]>(readers.map(([promise]) => [promise, []]));

beforeAll(async () => {
  rig = await openStoreRig();
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-every-state-'));
  database = await openEvents(folder, Date.now);
  let index = 0;
  for await (const { state, world } of worldsInEveryState(rig.connections, seed)) {
    for (const [promise, runs, compare] of readers) {
      reports.get(promise)?.push({ state, seed, ...(await compare(database)(world, { runs, seed: seed + index })) });
    }
    index += 1;
  }
}, 1_800_000);
afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
  await rig?.close();
});

describe(`in every state of the store (seed ${seed})`, () => {
  test.each(readers)('%s', (promise, runs) => {
    const found = reports.get(promise) ?? [];
    for (const { state, mismatch } of found) expect(mismatch, `${state}, records of seed ${seed}`).toBeNull();
    const queries = found.reduce((sum, report) => sum + report.queries, 0);
    const telling = found.reduce((sum, report) => sum + report.telling, 0);
    expect(queries).toBe(runs * stateCount);
    expect(telling / queries).toBeGreaterThan(0.3);
  });
});

test.each(byLength([], Object.entries(mutants)))('the comparison of metrics finds that %s', { timeout: 900_000 }, async (_, mutant) => {
  for await (const { mismatch } of inEveryState(rig.connections, compareMutant(mutant), { runs: 500, seed })) {
    if (mismatch === null) continue;
    expect(mismatch).toMatch(/other: |total: |a row of nowhere|rows instead of/);
    return;
  }
  expect.fail('no query told the difference');
});
