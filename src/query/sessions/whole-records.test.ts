import { afterAll, beforeAll, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import type { SessionItem } from '../../contract/sessions/item.ts';
import type { SessionQuery } from '../../contract/sessions/query.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import { sessionItem } from './item.ts';
import { sessionPageStatement, sessionTotalsStatement, type SessionTotalsRow } from './list.ts';
import { planSessions } from './query.ts';
import type { SessionRow } from './columns.ts';

let rig: QueryRig;
beforeAll(async () => {
  rig = await openQueryRig();
});
afterAll(async () => rig.close());

const clients = 10;
const batchesOfClient = 5;
const sessionIds = ['a', 'b', 'c'];
let made = 0;

function requestOf(sessionId: string, createdAt: number): RequestRecord {
  made += 1;
  const usage = { ...unreportedUsage, promptTokens: 1, completionTokens: 2 };
  return {
    ...empty,
    requestId: idAt(createdAt, made),
    createdAt,
    sessionId,
    sessionName: 'shared',
    cost: parseMoney('0.5') ?? null,
    usage,
  };
}

/** Two requests for every session: one before everything that is there, and one behind it. */
function batchAround(distance: number): readonly RequestRecord[] {
  return sessionIds.flatMap((id) => [requestOf(id, noon - distance), requestOf(id, noon + distance)]);
}

async function write(client: number): Promise<void> {
  for (let batch = 0; batch < batchesOfClient; batch += 1) {
    await rig.insert(batchAround(1 + batch * clients + client), `batch-${client}-${batch}`);
  }
}

async function sessions(body: SessionQuery): Promise<readonly SessionItem[]> {
  const rows = await rig.store.run<SessionRow>(sessionPageStatement(unwrap(planSessions(tenant, body))));
  return rows.map((row) => sessionItem(row, 0));
}

/** What is asked in turn: by page alone, with a list of candidates, and with requests that are kept. */
const questions: readonly SessionQuery[] = [
  {},
  { search: 'SHARED' },
  { filter: { request_response_rmt: { cost: { gt: 0.1 } } } },
  { filter: { sessions_request_response_rmt: { session_total_requests: { gt: 0 } } } },
];

/** Reads until nobody writes any more. @returns what was wrong with an answer. */
async function read(reader: number, isWritten: () => boolean): Promise<readonly string[]> {
  const faults: string[] = [];
  const seen = new Map<string, number>();
  for (let round = reader; !isWritten() && faults.length === 0; round += 1) {
    for (const item of await sessions(questions[round % questions.length] ?? {})) {
      const { session_id: id, total_requests: count, total_cost: cost, total_tokens: tokens } = item;
      const around = Date.parse(item.latest_request_created_at) - noon === noon - Date.parse(item.created_at);
      if (count % 2 !== 0 || cost !== count / 2 || tokens !== count * 3 || !around) faults.push(`torn: ${JSON.stringify(item)}`);
      if (count < (seen.get(id) ?? 0)) faults.push(`shrunk from ${seen.get(id)}: ${JSON.stringify(item)}`);
      seen.set(id, count);
    }
  }
  return faults;
}

test('ten write to the same sessions while ten read: each answer is of one set of whole records and never shrinks', async () => {
  await rig.insert(batchAround(0), 'first');
  let written = false;
  const writers = Promise.all(Array.from({ length: clients }, (_, client) => write(client))).finally(() => {
    written = true;
  });
  const readers = Array.from({ length: clients }, (_, reader) => read(reader, () => written));
  const faults = (await Promise.all(readers)).flat();
  await writers;
  expect(faults).toEqual([]);
  const total = 2 * (1 + clients * batchesOfClient);
  expect((await sessions({})).map(({ total_requests: count }) => count)).toEqual(sessionIds.map(() => total));
});

test('a search finds more sessions than a list of candidates holds', async () => {
  const many = Array.from({ length: 700 }, (_, index) => ({
    ...requestOf(`many-${index}`, noon + 5000 + index),
    sessionName: `crowd ${index % 7}`,
  }));
  await rig.insert(many, 'many');
  const counted = async (body: SessionQuery): Promise<number> =>
    Number((await rig.store.run<SessionTotalsRow>(sessionTotalsStatement(unwrap(planSessions(tenant, body)))))[0]?.session_count);
  expect(await counted({ search: 'Crowd' })).toBe(700);
  expect(await counted({ search: 'crowd 3' })).toBe(100);
  expect(await counted({ search: 'MANY-69' })).toBe(11);
  expect((await sessions({ search: 'crowd', limit: 600, offset: 200 })).length).toBe(500);
});
