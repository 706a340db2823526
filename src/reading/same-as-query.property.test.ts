import { asyncProperty, check } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { matches } from '../query/filter/memory/interpret.ts';
import { type RandomQuery, randomQueries } from '../query/filter/testing/random-queries.ts';
import { organization, sessionsOf, textOf, type World, worldsInEveryState } from '../query/filter/testing/same-result.ts';
import { ownPart, planStream } from '../query/stream/plan.ts';
import { type RangeRow, rangeStatement, type StreamRow, streamStatement } from '../query/stream/rows.ts';
import { makeRunStatement } from '../store/read/run-statement.ts';
import { openStoreRig, type StoreRig } from '../store/testing/store-harness.ts';
import { CallMemory, ResponseMemory } from '../api/http/response-memory.ts';
import { matchingRows } from './matching.ts';
import { byLength, testSeed } from '../../test/support/test-length.ts';

const filtersInState = byLength(4, 25);
const seed = testSeed();

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

const everything = { after: 0, through: Number.MAX_SAFE_INTEGER };

/** Identifiers of what a stream would send of all that is stored. */
async function streamed({ connections }: World, filter: unknown, limit: number): Promise<readonly string[]> {
  const plan = planStream(organization, { filter, includeBodies: false, cursor: undefined });
  if (!plan.ok) throw new Error(plan.fault.message);
  const run = makeRunStatement(connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 1024 * 1024 * 1024 });
  const { signal } = new AbortController();
  const memory = new CallMemory(new ResponseMemory({ maxBytes: 2 ** 30, maxWaitMs: 1000 }), signal);
  const reading = { run, memory, tenant: organization, signal, monotonic: systemClock.monotonic };
  const [range] = await run<RangeRow>(rangeStatement(organization, everything));
  const arrivals = { fromMs: Number(range?.from_ms), toMs: Number(range?.to_ms) };
  const ids: string[] = [];
  for (let after = 0, isWhole = false; !isWhole;) {
    const page = {
      range: { ...everything, after },
      arrivals,
      filter: ownPart(plan.value.filter),
      limit,
      withInputs: true,
      lane: 'export',
    } as const;
    const rows = await run<StreamRow>(streamStatement(organization, page));
    const { results } = await matchingRows(rows, [plan.value.filter], reading);
    expect(results.get(plan.value.filter)?.passedBy.size).toBe(0);
    ids.push(...rows.filter((row) => results.get(plan.value.filter)?.matched.has(row)).map(({ id }) => id));
    after = rows.at(-1)?.stored_number ?? after;
    isWhole = rows.length < limit;
  }
  return ids;
}

test(`a stream sends what a query finds, in every state of the store (seed ${seed})`, { timeout: 900_000 }, async () => {
  let [filters, telling] = [0, 0];
  for await (const { state, world } of worldsInEveryState(rig.connections, seed)) {
    const sessions = sessionsOf(world);
    const subjects = world.records.map((record) => ({ record, session: sessions.get(record.sessionId) ?? null }));
    const expected = ({ filter }: RandomQuery): readonly string[] => {
      const plan = planStream(organization, { filter, includeBodies: false, cursor: undefined });
      if (!plan.ok) throw new Error(plan.fault.message);
      const kept = subjects.filter(({ record, session }) => matches(plan.value.filter, record, session ?? undefined));
      if (kept.length > 0 && kept.length < subjects.length) telling += 1;
      return kept.map(({ record }) => record.requestId);
    };
    const details = await check(
      asyncProperty(
        randomQueries(subjects).filter(({ filter }) => planStream(organization, { filter, includeBodies: false, cursor: undefined }).ok),
        async (query) => {
          filters += 1;
          // In the order in which they were stored.
          expect(await streamed(world, query.filter, 20)).toEqual(expected(query));
        },
      ),
      { numRuns: filtersInState, seed, endOnFailure: true },
    );
    const [found] = details.counterexample ?? [];
    expect(details.failed ? `${state}: ${textOf(found)} ${String(details.errorInstance)}` : null).toBeNull();
  }
  expect(telling / filters).toBeGreaterThan(0.3);
});
