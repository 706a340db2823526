import { asyncProperty, check } from 'fast-check';
import { eventually } from '../../../../test/support/eventually.ts';
import { CallMemory, ResponseMemory } from '../../../api/http/response-memory.ts';
import type { Webhook } from '../../../model/events/webhook.ts';
import type { Uuid } from '../../../model/ids.ts';
import { systemClock } from '../../../platform/clock.ts';
import { compileFilter } from '../../../query/filter/sql/compile.ts';
import { type RandomQuery, randomQueries } from '../../../query/filter/testing/random-queries.ts';
import { type Comparison, organization, sessionsOf, textOf, type World } from '../../../query/filter/testing/same-result.ts';
import { planStream } from '../../../query/stream/plan.ts';
import { select } from '../../../sql/query.ts';
import { sql } from '../../../sql/sql.ts';
import { statementFor } from '../../../sql/statement.ts';
import { requests } from '../../../sql/tables.ts';
import { makeRunStatement, type RunStatement } from '../../../store/read/run-statement.ts';
import type { EventsDatabase } from '../../database/database.ts';
import { WebhookFollower } from '../following/follower.ts';
import { PendingQuota } from '../following/pending-quota.ts';

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
async function announced(database: EventsDatabase, world: World, filter: unknown): Promise<readonly string[]> {
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
  await eventually('the webhook to be through', async () => (await isThrough()) || undefined);
  through = 0;
  await follower.stop();
  const rows = await database.queries.selectFrom('deliveries').select('request_id').where('target', '=', `webhook/${webhook.id}`).execute();
  return rows.map(({ request_id: id }) => id ?? '').toSorted();
}

/** Compares the deliveries of a webhook with what a query with its filter finds. */
export const compareAnnounced =
  (database: EventsDatabase): Comparison =>
  async (world, { runs, seed }) => {
    const sessions = sessionsOf(world);
    const subjects = world.records.map((record) => ({ record, session: sessions.get(record.sessionId) ?? null }));
    let telling = 0;
    const details = await check(
      asyncProperty(
        randomQueries(subjects).filter(({ filter }) => planStream(organization, { filter, includeBodies: false, cursor: undefined }).ok),
        async ({ filter }: RandomQuery) => {
          const wanted = await found(world, filter);
          if (wanted.length > 0 && wanted.length < subjects.length) telling += 1;
          const told = await announced(database, world, filter);
          if (told.join() !== wanted.join()) throw new Error(`the webhook got ${told.join(' ')}\ninstead of ${wanted.join(' ')}`);
        },
      ),
      { numRuns: runs, seed, endOnFailure: true },
    );
    const mismatch = details.failed ? `${textOf(details.counterexample)} ${String(details.errorInstance)}` : null;
    return { queries: details.numRuns, telling, mismatch };
  };
