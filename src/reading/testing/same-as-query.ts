import { asyncProperty, check } from 'fast-check';
import { CallMemory, ResponseMemory } from '../../api/http/response-memory.ts';
import { systemClock } from '../../platform/clock.ts';
import { matches } from '../../query/filter/memory/interpret.ts';
import { type RandomQuery, randomQueries } from '../../query/filter/testing/random-queries.ts';
import { type Comparison, organization, sessionsOf, textOf, type World } from '../../query/filter/testing/same-result.ts';
import { requestPart, planStream } from '../../query/stream/plan.ts';
import { type RangeRow, rangeStatement, type StreamRow, streamStatement } from '../../query/stream/rows.ts';
import { makeRunStatement } from '../../store/read/run-statement.ts';
import { matchingRows } from '../matching.ts';

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
      filter: requestPart(plan.value.filter),
      limit,
      withInputs: true,
      lane: 'export',
    } as const;
    const rows = await run<StreamRow>(streamStatement(organization, page));
    const { results } = await matchingRows(rows, [plan.value.filter], reading);
    if (results.get(plan.value.filter)?.passedBy.size !== 0) throw new Error('Rows were passed by.');
    ids.push(...rows.filter((row) => results.get(plan.value.filter)?.matched.has(row)).map(({ id }) => id));
    after = rows.at(-1)?.stored_number ?? after;
    isWhole = rows.length < limit;
  }
  return ids;
}

/** Compares what a stream sends with what the interpreter keeps, in the order in which it was stored. */
export const compareStreamed: Comparison = async (world, { runs, seed }) => {
  const sessions = sessionsOf(world);
  const subjects = world.records.map((record) => ({ record, session: sessions.get(record.sessionId) ?? null }));
  let telling = 0;
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
        const [found, wanted] = [await streamed(world, query.filter, 20), expected(query)];
        if (found.join() !== wanted.join()) throw new Error(`the stream has ${found.join(' ')}\ninstead of ${wanted.join(' ')}`);
      },
    ),
    { numRuns: runs, seed, endOnFailure: true },
  );
  const mismatch = details.failed ? `${textOf(details.counterexample)} ${String(details.errorInstance)}` : null;
  return { queries: details.numRuns, telling, mismatch };
};
