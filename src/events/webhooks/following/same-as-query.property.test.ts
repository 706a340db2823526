import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asyncProperty, check } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallMemory, ResponseMemory } from '../../../api/http/response-memory.ts';
import type { Webhook } from '../../../model/events/webhook.ts';
import type { Uuid } from '../../../model/ids.ts';
import { type EventsDatabase, openEvents } from '../../database/database.ts';
import { systemClock } from '../../../platform/clock.ts';
import { compileFilter } from '../../../query/filter/sql/compile.ts';
import { type RandomQuery, randomQueries } from '../../../query/filter/testing/random-queries.ts';
import { organization, sessionsOf, textOf, type World, worldsInEveryState } from '../../../query/filter/testing/same-result.ts';
import { planStream } from '../../../query/stream/plan.ts';
import { select } from '../../../sql/query.ts';
import { sql } from '../../../sql/sql.ts';
import { statementFor } from '../../../sql/statement.ts';
import { requests } from '../../../sql/tables.ts';
import { makeRunStatement, type RunStatement } from '../../../store/read/run-statement.ts';
import { openStoreRig, type StoreRig } from '../../../store/testing/store-harness.ts';
import { WebhookFollower } from './follower.ts';
import { PendingQuota } from './pending-quota.ts';
import { byLength, testSeed } from '../../../../test/support/test-length.ts';

const filtersInState = byLength(3, 15);
const seed = testSeed();

let rig: StoreRig;
let folder: string;
let database: EventsDatabase;
beforeAll(async () => {
  rig = await openStoreRig();
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-following-'));
  database = await openEvents(folder, Date.now);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
  await rig.close();
});

function runIn({ connections }: World): RunStatement {
  return makeRunStatement(connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 1024 * 1024 * 1024 });
}

/** Identifiers of the requests that SQL finds. */
async function found(world: World, filter: unknown): Promise<readonly string[]> {
  const plan = planStream(organization, { filter, includeBodies: false, cursor: undefined });
  if (!plan.ok) throw new Error(plan.fault.message);
  const from = requests(plan.value.filter.kind === 'all' ? [] : [compileFilter(plan.value.filter)]);
  const rows = await runIn(world)<{ readonly id: string }>(
    statementFor(organization, select({ columns: sql`id_text AS id`, from }), 'long'),
  );
  return rows.map(({ id }) => id).toSorted();
}

let webhooks = 0;

/** Identifiers of the requests for which a new webhook gets deliveries. */
async function announced(world: World, filter: unknown): Promise<readonly string[]> {
  webhooks += 1;
  const webhook: Webhook = {
    id: `webhook-${webhooks}` as Uuid,
    organizationId: organization,
    name: null,
    destination: 'https://receiver.example',
    filter,
    sampleRate: 100,
    events: ['request.completed'],
    includeData: true,
    startsAfter: 0,
    disabled: null,
    createdAt: 0,
    changedAt: 0,
  };
  let through = Number.MAX_SAFE_INTEGER;
  const memory = new ResponseMemory({ maxBytes: 2 ** 30, maxWaitMs: 1000 });
  const follower = new WebhookFollower({
    database,
    quota: new PendingQuota({ database, maxPending: 100_000, monotonic: systemClock.monotonic }),
    updateWatermark: () => 0,
    wake: () => undefined,
    order: {
      get through() {
        return through;
      },
      watch: () => () => undefined,
    },
    definitions: { enabled: () => [webhook], watch: () => () => undefined },
    readingOf: (tenant, signal) => ({
      run: runIn(world),
      memory: new CallMemory(memory, signal).ownedBy(tenant),
      tenant,
      signal,
      monotonic: systemClock.monotonic,
    }),
    now: Date.now,
    observe: ({ kind, ...rest }) => {
      throw new Error(`${kind} ${JSON.stringify(rest)}`);
    },
    giveUp: () => Promise.resolve(),
    noteAnnounced: () => undefined,
  });
  follower.start();
  const isThrough = async (): Promise<boolean> => {
    const row = await database.queries
      .selectFrom('webhook_positions')
      .select('position')
      .where('webhook_id', '=', webhook.id)
      .executeTakeFirst();
    return row?.position === through;
  };
  await expect.poll(isThrough, { timeout: 30_000 }).toBe(true);
  through = 0;
  await follower.stop();
  const rows = await database.queries.selectFrom('deliveries').select('request_id').where('target', '=', `webhook/${webhook.id}`).execute();
  return rows.map(({ request_id: id }) => id ?? '').toSorted();
}

test(`a webhook gets what a query with its filter finds, in every state of the store (seed ${seed})`, { timeout: 900_000 }, async () => {
  let [filters, telling] = [0, 0];
  for await (const { state, world } of worldsInEveryState(rig.connections, seed)) {
    const sessions = sessionsOf(world);
    const subjects = world.records.map((record) => ({ record, session: sessions.get(record.sessionId) ?? null }));
    const details = await check(
      asyncProperty(
        randomQueries(subjects).filter(({ filter }) => planStream(organization, { filter, includeBodies: false, cursor: undefined }).ok),
        async ({ filter }: RandomQuery) => {
          const expected = await found(world, filter);
          filters += 1;
          if (expected.length > 0 && expected.length < subjects.length) telling += 1;
          expect(await announced(world, filter)).toEqual(expected);
        },
      ),
      { numRuns: filtersInState, seed, endOnFailure: true },
    );
    const [counterexample] = details.counterexample ?? [];
    expect(details.failed ? `${state}: ${textOf(counterexample)} ${String(details.errorInstance)}` : null).toBeNull();
  }
  expect(telling / filters).toBeGreaterThan(0.3);
});
